import { type PatchFile, readPatch } from 'base/read-patch';
import { maskedNotice } from 'base/secrets/mask-secrets';
import { html } from 'hono/html';
import type { Markup } from '../page.ts';
import type { Session } from './read-session.ts';

/** Max lines of a patch to show on a page, because nobody reads more there. The patch for download has all lines. */
const maxShownLines = 4_000;
const openLines = 400;

export function changesView({ patch, address }: Session): Markup {
  const files = readPatch(patch.text);
  if (files.length === 0 && !patch.isIncomplete)
    return html`<section><h2>Changes</h2><p class="none">No files changed.</p></section>`;
  const isPart = patch.isIncomplete || patch.isLonger;
  let left = maxShownLines;
  const views = files.map((file) => {
    const shown = file.lines.slice(0, Math.max(0, left));
    left -= file.lines.length;
    return fileView(file, shown, !isPart);
  });
  return html`<section><h2>Changes ${isPart ? '' : countView(files)}
<span class="more">${
    patch.isIncomplete
      ? html`<a href="${address}/incomplete.patch" download>Incomplete patch</a>`
      : html`<a href="${address}/changes.patch" download>Patch</a>`
  }</span></h2>
${patch.isIncomplete ? html`<p class="none">This patch is incomplete. Don't apply it. See the timeline for the reason.</p>` : ''}
${patch.masked > 0 && !patch.isIncomplete ? html`<p class="none">${maskedNotice(patch.masked)} With masks, the patch may not apply. <a href="${address}/exact.patch">Exact patch</a> (sign-in required)</p>` : ''}
${patch.isLonger ? html`<p class="none">This is the first part of a ${(patch.bytes / 1e6).toFixed(1)} MB patch. Download it to see the rest.</p>` : ''}
${views}
${left < 0 && !isPart ? html`<p class="none">Download the patch to see ${-left} more lines.</p>` : ''}</section>`;
}

export function countView(files: readonly PatchFile[]): Markup {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return html`<span class="count">${files.length} ${files.length === 1 ? 'file' : 'files'}
<span class="plus">+${added}</span> <span class="minus">−${removed}</span></span>`;
}

const signs = { same: ' ', added: '+', removed: '−', hunk: '' };

export function fileView(file: PatchFile, shown: PatchFile['lines'], isCounted: boolean): Markup {
  const rows = shown.map(({ kind, text, oldNumber, newNumber }) =>
    kind === 'hunk'
      ? html`<tr class="hunk"><td colspan="3"></td><td>${text === '' ? '⋯' : text}</td></tr>`
      : html`<tr class="${kind}"><td class="n">${oldNumber ?? ''}</td><td class="n">${newNumber ?? ''}</td><td class="s">${signs[kind]}</td><td>${text}</td></tr>`,
  );
  const note = file.change === 'changed' ? '' : html`<span class="kind">${file.change}</span>`;
  return html`<details class="file" ${file.lines.length <= openLines ? 'open' : ''}>
<summary><span class="name" dir="ltr">${file.name}</span>${note}${isCounted ? html`<span class="plus">+${file.added}</span><span class="minus">−${file.removed}</span>` : ''}</summary>
${file.binary ? html`<p class="none">Binary file</p>` : html`<div class="scroll"><table>${rows}</table></div>`}
</details>`;
}

/** Renders the links to the run's files. Without signing in, people can open masked text files only. */
export function filesView({ files, address }: Session): Markup | string {
  if (files.length === 0) return '';
  const rows = files.map(({ uid, path, bytes, isMasked }) => {
    const exact = `${address}/exact/${uid}`;
    return html`<li><a href="${isMasked ? `${address}/files/${uid}` : exact}" dir="auto">${path}</a>
<span class="by">${sizeOf(bytes)} · ${isMasked ? html`<a href="${exact}">Exact file</a> (sign-in required)` : 'sign-in required'}</span></li>`;
  });
  return html`<section id="files"><h2>Files <span class="count">${files.length}</span></h2><ul>${rows}</ul></section>`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
