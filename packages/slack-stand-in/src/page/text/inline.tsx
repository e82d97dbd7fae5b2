import type { ComponentChildren } from 'preact';
import { usePage } from '../state/page-context.ts';
import { renderDateToken } from './date-token.ts';
import { emojiCharacter } from './emoji.ts';
import { safeHref } from './safe-url.ts';

/** Shows a link, which opens a new tab unless it points to this workspace. An unsafe link is shown as text. */
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

/**
 * Reads the channel and thread from a permalink of this workspace, such as `/archives/C123/p1700000000000100`. Returns
 * undefined for other links.
 */
function readPermalink(href: string): { channel: string; thread?: string } | undefined {
  const url = new URL(href);
  const match = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/.exec(url.pathname);
  if (url.origin !== location.origin || !match?.[1]) return undefined;
  const thread = url.searchParams.get('thread_ts') ?? `${match[2]}.${match[3]}`;
  return { channel: match[1], thread };
}

type MentionProps = { type: 'person' | 'channel'; id: string; label?: string };

export function Mention({ type, id, label }: MentionProps) {
  const { me, findPerson, findChannel, navigate } = usePage();
  if (type === 'person') {
    const person = findPerson(id);
    const mine = id === me.id ? ' mention-me' : '';
    return <span class={`mention${mine}`}>@{person?.name ?? (label || id)}</span>;
  }
  const channel = findChannel(id);
  if (!channel) return <span class="mention">#{label || 'private-channel'}</span>;
  return (
    <button type="button" class="mention" onClick={() => navigate({ channel: id })}>
      #{channel.name}
    </button>
  );
}

type DateTokenProps = {
  token: { seconds: number; format: string; link: string; fallback: string };
};

export function DateToken({ token }: DateTokenProps) {
  const { me, nowMs } = usePage();
  const text = renderDateToken(token, { timeZone: me.timeZone, nowMs });
  const full = new Date(token.seconds * 1_000);
  const isValid = Number.isFinite(full.getTime());
  const time = (
    <time dateTime={isValid ? full.toISOString() : ''} title={`${token.fallback}`}>
      {text}
    </time>
  );
  return token.link ? <Link url={token.link}>{time}</Link> : time;
}

export function Emoji({ name }: { name: string }) {
  const character = emojiCharacter(name);
  if (!character) return <>{`:${name}:`}</>;
  return (
    <span class="emoji" role="img" aria-label={name.replaceAll('_', ' ')} title={`:${name}:`}>
      {character}
    </span>
  );
}
