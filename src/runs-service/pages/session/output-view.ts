import { html, raw } from 'hono/html';
import type { Markup } from '../markup.ts';
import { outputParts } from './output-parts.ts';
import type { Session } from './session.ts';

const unfoldedParts = 200;

const emptyWords = {
  printed: 'The agent printed nothing.',
  pruned: 'The output is no longer kept.',
  elsewhere:
    'The output is not here. Another process of this service executed the run and keeps it in its own data folder, or the run ended before its agent began.',
};

/** What the agent printed; of a long output the end, the rest folded. */
export function outputView(session: Session): Markup {
  const { parts } = outputParts(session.output);
  const folded = parts.slice(0, -unfoldedParts);
  const shown = parts.slice(-unfoldedParts);
  const cut = session.outputBytes > Buffer.byteLength(session.output);
  const empty = session.output === '';
  return html`<section id="output"><h2>Output
<span class="more"><a href="${session.address}/output.log" download>Raw log</a></span></h2>
<div class="terminal">
${cut && session.ended ? html`<p class="cut">Only the last part is shown here; the raw log has the rest.</p>` : ''}
${
  folded.length > 0
    ? html`<details><summary>${folded.length} earlier lines</summary><div class="lines">${raw(folded.join(''))}</div></details>`
    : ''
}<div class="lines" id="lines" data-offset="${session.outputOffset}">${raw(shown.join(''))}</div>
${empty && (session.ended || session.missing) ? html`<p class="cut">${emptyWords[session.missing ?? 'printed']}</p>` : ''}
${session.ended || session.missing ? '' : html`<p class="live"><span class="dot"></span>live</p>`}
</div></section>`;
}
