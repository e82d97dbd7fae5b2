import { html } from 'hono/html';
import { expect, it } from 'vitest';
import { pageDocument } from '../../src/pages/page.ts';

it('pages contain no hidden characters', async () => {
  const text = 'invoice\u202efdp.exe\u0000\u009b';
  const content = html`<h1>${text}</h1>\n\t<pre>${text}</pre>`;
  const page = String(await pageDocument({ title: text, root: '', content }));
  expect(page).toContain('<title>invoicefdp.exe</title>');
  expect(page).toContain('<h1>invoicefdp.exe</h1>\n\t<pre>invoicefdp.exe</pre>');
});
