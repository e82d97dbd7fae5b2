import { html, raw } from 'hono/html';
import type { Markup, Session } from './session-view.ts';
import { terminalLines } from './terminal-lines.ts';

const unfoldedLines = 200;

/** What the agent printed; of a long output the last lines, the others folded. */
export function outputView(session: Session): Markup {
  const { lines } = terminalLines(session.output.replace(/\n$/, ''));
  const folded = lines.slice(0, -unfoldedLines);
  const shown = lines.slice(-unfoldedLines);
  const cut = session.outputBytes > Buffer.byteLength(session.output);
  const empty = session.output === '';
  return html`<section id="output"><h2>Output
<span class="more"><a href="${session.address}/output.log" download>Raw log</a></span></h2>
<div class="terminal">
${cut && session.ended ? html`<p class="cut">Only the last part is shown here; the raw log has the rest.</p>` : ''}
${
  folded.length > 0
    ? html`<details><summary>${folded.length} earlier lines</summary><pre>${raw(folded.join('\n'))}</pre></details>`
    : ''
}<pre id="lines" data-offset="${session.outputOffset}">${raw(shown.join('\n'))}${raw(session.output.endsWith('\n') ? '\n' : '')}</pre>
${empty && session.ended ? html`<p class="cut">${session.pruned ? 'The output is no longer kept.' : 'The agent printed nothing.'}</p>` : ''}
${session.ended ? '' : html`<p class="live"><span class="dot"></span>live</p>`}
</div></section>`;
}
