/** The page's HTML. */
export function pageDocument({ token, firstPerson }: { token: string; firstPerson: string }) {
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

/** A slash on a tile. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1f6b5c"/>
<path d="M20 7 12 25" stroke="#fff" stroke-width="3.5" stroke-linecap="round"/>
</svg>`;

/** No foreign or inline content, no HTML from text, no framing. */
export const contentSecurityPolicy = [
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
