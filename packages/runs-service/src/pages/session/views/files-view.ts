import { html } from 'hono/html';
import type { Markup } from '../../markup.ts';
import type { Session } from '../session.ts';

/** What the run left. A link alone opens texts, masked; the rest is for people who sign in. */
export function filesView({ files, address }: Session): Markup | string {
  if (files.length === 0) return '';
  const rows = files.map(({ uid, path, bytes, isMasked }) => {
    const exact = `${address}/exact/${uid}`;
    return html`<li><a href="${isMasked ? `${address}/files/${uid}` : exact}" dir="auto">${path}</a>
<span class="by">${sizeOf(bytes)} · ${isMasked ? html`<a href="${exact}">Exact file</a> (you need to sign in)` : 'you need to sign in'}</span></li>`;
  });
  return html`<section id="files"><h2>Files <span class="count">${files.length}</span></h2><ul>${rows}</ul></section>`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
