import { html, raw } from 'hono/html';
import type { Markup } from '../../markup.ts';
import type { Session } from '../session.ts';
import { outputParts } from './output-parts.ts';

const unfoldedParts = 200;

const emptyTexts = {
  printed: 'The agent printed nothing.',
  pruned: 'The output was deleted because of its age.',
  elsewhere:
    "The output isn't here. The run ended before its agent started, or another process of this service has the output.",
};

/** Shows the end of a long output and folds the rest. */
export function outputView(session: Session): Markup {
  const { parts } = outputParts(session.output);
  const folded = parts.slice(0, -unfoldedParts);
  const shown = parts.slice(-unfoldedParts);
  const cut = session.outputEnd > Buffer.byteLength(session.output);
  const empty = session.output === '';
  return html`<section id="output"><h2>Output
<span class="more"><a href="${session.address}/output.log" download>Raw log</a></span></h2>
<div class="terminal">
${cut && session.ended ? html`<p class="cut">This is the last part. See the raw log for all output.</p>` : ''}
${
  folded.length > 0
    ? html`<details><summary>${folded.length} earlier lines</summary><div class="lines">${raw(folded.join(''))}</div></details>`
    : ''
}<div class="lines" id="lines" data-offset="${session.outputEnd}">${raw(shown.join(''))}</div>
${empty && (session.ended || session.missing) ? html`<p class="cut">${emptyTexts[session.missing ?? 'printed']}</p>` : ''}
${session.ended || session.missing ? '' : html`<p class="live"><span class="dot"></span>Live</p>`}
</div></section>`;
}
