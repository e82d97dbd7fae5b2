import type { ComponentChildren } from 'preact';
import { usePage } from '../state/page-context.ts';
import { safeHref } from './safe-url.ts';

/** Opens a new tab, except for links of this workspace. Unsafe links are text. */
export function Link({ url, children }: { url: string; children: ComponentChildren }) {
  const { navigate } = usePage();
  const href = safeHref(url);
  if (!href) return <>{children}</>;
  const permalink = readPermalink(href);
  if (permalink) {
    return (
      <a
        href={href}
        onClick={(event) => {
          event.preventDefault();
          navigate({ channel: permalink.channel, thread: permalink.thread });
        }}
      >
        {children}
      </a>
    );
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** `/archives/C123/p1700000000000100` on this host, with any subdomain. */
function readPermalink(href: string): { channel: string; thread?: string } | undefined {
  const url = new URL(href);
  const match = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/.exec(url.pathname);
  if (url.origin !== location.origin || !match?.[1]) return undefined;
  const thread = url.searchParams.get('thread_ts') ?? `${match[2]}.${match[3]}`;
  return { channel: match[1], thread };
}
