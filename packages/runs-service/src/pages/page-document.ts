import { readableText } from 'base/readable-text';
import { html, raw } from 'hono/html';
import type { Markup } from './markup.ts';

type PageDocument = {
  title: string;
  /** The path to the service's pages, relative to this one, such as `../`. */
  root: string;
  /** The path to a live page's events; see `session-script.ts`. */
  address?: string;
  /** What a page that goes on changing shows. */
  version?: number | undefined;
  content: Markup;
};

/** The frame of every page. Makes text from people and agents readable. */
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
