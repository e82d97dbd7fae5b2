import { readableText } from 'base/readable-text';
import type { Context, MiddlewareHandler } from 'hono';
import { html, raw } from 'hono/html';
import { ApiProblem } from '../api/problem.ts';

type PageDocument = {
  title: string;
  /** Path from this page to the root of the service's pages, such as `../`. */
  root: string;
  /** Folder that a live page gets its events from. The script in assets.ts reads this value. */
  address?: string;
  /** Version of the run that a live page shows. */
  version?: number | undefined;
  content: Markup;
};

/** Renders a page with the given content. Removes invisible characters, which can be in text from people and agents. */
export function pageDocument({ title, root, address, version, content }: PageDocument): Markup {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}session-assets/session.css">
<script src="${root}session-assets/session.js" defer></script>
</head>
<body data-address="${address ?? ''}" data-version="${version ?? ''}">
<main>
${content}
</main>
</body>
</html>`;
  return page instanceof Promise ? page.then(readable) : readable(page);
}

const readable = (page: { toString(): string }) => raw(readableText(page.toString()));

/** HTML that is safe, because `hono/html` escaped all values. */
export type Markup = ReturnType<typeof html>;

/** Sets the headers of every page. `allowed` adds to the content security policy. */
export function setPageHeaders(context: Context, allowed: string): void {
  const headers = {
    'content-security-policy': `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; ${allowed}`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
}

export const pageHeaders =
  (allowed: string): MiddlewareHandler =>
  async (context, next) => {
    await next();
    setPageHeaders(context, allowed);
  };

/**
 * Rejects forms that another site sends from a signed-in browser. Accepts requests of programs, which don't send the
 * `sec-fetch-site` header.
 */
export function assertSameSite(context: Context): void {
  const from = context.req.header('sec-fetch-site') ?? 'same-origin';
  if (from !== 'same-origin' && from !== 'none')
    throw new ApiProblem(
      'not_authorized',
      'This form came from another site. Open the page of the runs service and send it there.',
    );
}

/** Renders a problem as a page for a browser. Returns undefined for an API client. */
export async function answerWithPage(
  context: Context,
  problem: ApiProblem,
): Promise<Response | undefined> {
  const { path } = context.req;
  const isForBrowser = context.req.header('accept')?.includes('text/html') ?? false;
  if (!isForBrowser || path.startsWith('/api/')) return undefined;
  const root = '../'.repeat(path.split('/').length - 2);
  const page = await pageDocument({
    title: problem.title,
    root,
    content: html`<section class="sign-in"><h1>${problem.title}</h1>
<p>${problem.message}</p>
<p><a href="${root}runs">All runs</a></p></section>`,
  });
  for (const [name, value] of Object.entries(problem.headers)) context.header(name, value);
  setPageHeaders(context, "form-action 'none'");
  return context.html(page, problem.status);
}
