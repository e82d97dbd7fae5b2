import { html } from 'hono/html';
import { type PatchFile, readPatch } from './read-patch.ts';
import type { Markup, Session } from './session-view.ts';

/** A page with more is of no use to a person; the patch can be downloaded. */
const maxShownLines = 4_000;
const openLines = 400;

export function changesView({ patch, address }: Session): Markup {
  const files = readPatch(patch);
  if (files.length === 0)
    return html`<section><h2>Changes</h2><p class="none">No files were changed.</p></section>`;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  let left = maxShownLines;
  const views = files.map((file) => {
    const shown = file.lines.slice(0, Math.max(0, left));
    left -= file.lines.length;
    return fileView(file, shown);
  });
  return html`<section><h2>Changes <span class="count">${files.length} ${files.length === 1 ? 'file' : 'files'}
<span class="plus">+${added}</span> <span class="minus">−${removed}</span></span>
<span class="more"><a href="${address}/changes.patch" download>Patch</a></span></h2>
${views}
${left < 0 ? html`<p class="none">${-left} more lines are in the patch.</p>` : ''}</section>`;
}

const signs = { same: ' ', added: '+', removed: '−', hunk: '' };

function fileView(file: PatchFile, shown: PatchFile['lines']): Markup {
  const rows = shown.map(({ kind, text, oldNumber, newNumber }) =>
    kind === 'hunk'
      ? html`<tr class="hunk"><td colspan="3"></td><td>${text === '' ? '⋯' : text}</td></tr>`
      : html`<tr class="${kind}"><td class="n">${oldNumber ?? ''}</td><td class="n">${newNumber ?? ''}</td><td class="s">${signs[kind]}</td><td>${text}</td></tr>`,
  );
  const note = file.change === 'changed' ? '' : html`<span class="kind">${file.change}</span>`;
  return html`<details class="file" ${file.lines.length <= openLines ? 'open' : ''}>
<summary><span class="name" dir="ltr">${file.name}</span>${note}<span class="plus">+${file.added}</span><span class="minus">−${file.removed}</span></summary>
${file.binary ? html`<p class="none">A binary file.</p>` : html`<div class="scroll"><table>${rows}</table></div>`}
</details>`;
}
