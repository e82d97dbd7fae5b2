import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { rejectCrossSite } from '../faults/cross-site.ts';
import { type PageAction, type PageAnswer, pageRequestSchema } from './page-protocol.ts';

const assets = new Map([
  ['main.js', 'text/javascript; charset=utf-8'],
  ['main.css', 'text/css; charset=utf-8'],
]);

/** Serves the page with its files, its actions, people's pictures, and permalinks to messages. */
export function createPageRoutes(deps: {
  token: string;
  isToken: (input: string) => boolean;
  firstPerson: string;
  /** Folder into which `npm run build:page` puts `main.js` and `main.css`. */
  folder: URL;
  /** Carries out an action. Throws an error with a message for the person if the person can't do it. */
  perform: (person: string, action: PageAction) => Promise<PageAnswer>;
  /** Returns a person's picture as SVG. */
  drawPicture: (personId: string) => string | undefined;
}): Hono {
  const { token, firstPerson, folder } = deps;
  const app = new Hono();
  app.get('/', (context) => {
    context.header('content-security-policy', contentSecurityPolicy);
    context.header('cross-origin-opener-policy', 'same-origin');
    context.header('referrer-policy', 'no-referrer');
    context.header('cache-control', 'no-store');
    return context.html(pageDocument({ token, firstPerson }));
  });
  app.get('/page/icon.svg', (context) =>
    context.body(pageIcon, 200, { 'content-type': 'image/svg+xml' }),
  );
  app.get('/avatars/:file', (context) => {
    const [, id = ''] = /^(\w+)-\d+\.svg$/.exec(context.req.param('file')) ?? [];
    const picture = deps.drawPicture(id);
    if (!picture) return context.notFound();
    context.header('x-content-type-options', 'nosniff');
    return context.body(picture, 200, { 'content-type': 'image/svg+xml' });
  });
  app.get('/page/:file', async (context) => {
    const file = context.req.param('file');
    const type = assets.get(file);
    if (!type) return context.notFound();
    const body = await readFile(new URL(file, folder)).catch(() => undefined);
    if (!body) return context.text("The page isn't built. Run `npm run build:page`.", 503);
    const headers = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
    return context.body(new Uint8Array(body), 200, { 'content-type': type, ...headers });
  });
  app.post('/page/actions', rejectCrossSite(), async (context) => {
    // Require the page's token. Other sites don't know the token, because they can't read the page's HTML.
    if (!deps.isToken(context.req.header('x-page-token') ?? '')) {
      return context.json(failed('This page is out of date. Reload it.'), 403);
    }
    const request = pageRequestSchema.safeParse(await context.req.json().catch(() => undefined));
    if (!request.success)
      return context.json(
        failed("The page sent an action that the workspace doesn't know. Reload it."),
        400,
      );
    const { person, action } = request.data;
    const answer = await deps.perform(person, action).catch((error: unknown) => {
      return failed(error instanceof Error ? error.message : String(error));
    });
    return context.json(answer);
  });
  app.get('/archives/:channel/:message', (context) => {
    const { channel, message } = context.req.param();
    const ts = /^p(\d+)(\d{6})$/.exec(message);
    if (!ts || !/^\w+$/.test(channel)) return context.notFound();
    const thread = context.req.query('thread_ts') ?? `${ts[1]}.${ts[2]}`;
    return context.redirect(`/#//${channel}/${encodeURIComponent(thread)}`);
  });
  return app;
}

function failed(error: string): PageAnswer {
  return { ok: false, error };
}

/** Returns the HTML document of the page. */
function pageDocument({ token, firstPerson }: { token: string; firstPerson: string }) {
  return `<!doctype html>
<html lang="en" data-token="${escapeHtml(token)}" data-first-person="${escapeHtml(firstPerson)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Local workspace</title>
<link rel="icon" href="/page/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page/main.css">
<script type="module" src="/page/main.js"></script>
</head>
<body><div id="page"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`;
}

/** Icon of the page, a slash on a tile. */
const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1f6b5c"/>
<path d="M20 7 12 25" stroke="#fff" stroke-width="3.5" stroke-linecap="round"/>
</svg>`;

/** Content security policy that allows no foreign or inline content, no HTML from text, and no framing. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
