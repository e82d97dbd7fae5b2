import { html } from 'hono/html';
import type { Markup } from './session-view.ts';

type PageDocument = {
  title: string;
  /** Where the service's pages begin, relative to this one: empty, or ends with a slash. */
  root: '' | '../';
  /** Where a live page hears of changes; see `session-script.ts`. */
  address?: string;
  isLive: boolean;
  content: Markup;
};

/** The frame that every page of the service stands in. */
export function pageDocument({ title, root, address, isLive, content }: PageDocument): Markup {
  return html`<!doctype html>
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
}
