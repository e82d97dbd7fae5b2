import { html, raw } from 'hono/html';
import { readableText } from '../../lib/readable-text.ts';
import type { Markup } from './markup.ts';

type PageDocument = {
  title: string;
  /** Where the service's pages begin, relative to this one: empty, or ends with a slash. */
  root: '' | '../';
  /** Where a live page hears of changes; see `session-script.ts`. */
  address?: string;
  isLive: boolean;
  content: Markup;
};

/** The frame of every page of the service. Prompts, titles and changes come from others: they are made readable here. */
export function pageDocument({ title, root, address, isLive, content }: PageDocument): Markup {
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
<body data-address="${address ?? ''}" data-live="${isLive ? 'yes' : 'no'}">
<main>
${content}
</main>
</body>
</html>`;
  return page instanceof Promise ? page.then(readable) : readable(page);
}

const readable = (page: { toString(): string }) => raw(readableText(page.toString()));
