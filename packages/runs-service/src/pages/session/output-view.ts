import { html, raw } from 'hono/html';
import { plainText } from '../../execution/output/last-lines.ts';
import { type AgentStep, usageText } from '../../harnesses/steps/agent-step.ts';
import { readSteps } from '../../harnesses/steps/read-steps.ts';
import type { Markup } from '../page.ts';
import type { Session } from './read-session.ts';
import { type TerminalStyle, terminalLines } from './terminal-lines.ts';

const unfoldedParts = 200;

const emptyTexts = {
  printed: 'The agent printed nothing.',
  elsewhere:
    "The output isn't here. The run ended before its agent started, or another process of this service has the output.",
};

const emptyText = ({ missing, transcriptDays }: Session): string =>
  missing === 'pruned'
    ? `Output is deleted after ${transcriptDays === 1 ? '1 day' : `${transcriptDays} days`}.`
    : emptyTexts[missing ?? 'printed'];

/** Renders the output of a run. Folds all but the end of a long output. */
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
${empty && (session.ended || session.missing) ? html`<p class="cut">${emptyText(session)}</p>` : ''}
${session.ended || session.missing ? '' : html`<p class="live"><span class="dot"></span>Live</p>`}
</div></section>`;
}

type RenderedOutput = {
  /** Lines as safe HTML. Each is a text with its line break, or an event's steps. */
  parts: string[];
  /** Colors and other style at the start of the next line. */
  style: TerminalStyle | undefined;
};

/** Renders output as HTML. Events of known harnesses become steps, other lines look as in a terminal. */
export function outputParts(output: string, from?: TerminalStyle): RenderedOutput {
  let style = from;
  const pieces = output.split('\n');
  const parts = pieces.map((line, index) => {
    const steps = readSteps(line);
    if (steps) return steps.map(stepView).join('');
    const rendered = terminalLines(line, style);
    style = rendered.style;
    return rendered.lines.join('') + (index < pieces.length - 1 ? '\n' : '');
  });
  return { parts: parts.filter((part) => part !== ''), style };
}

/** Max lines of a tool's result to show unfolded. */
const openLines = 6;
/** Max characters of a tool's result to show. The raw log has the whole result. */
const maxCharacters = 20_000;

export function stepView(step: AgentStep): Markup | string {
  switch (step.kind) {
    case 'text':
      return step.part
        ? html`<span class="says" dir="auto">${plainText(step.text)}</span>`
        : html`<div class="step says" dir="auto">${plainText(step.text)}</div>`;
    case 'thought':
      if (step.part) return html`<span class="thought">${plainText(step.text)}</span>`;
      return html`<details class="step thought"><summary>Thought</summary>${plainText(step.text)}</details>`;
    case 'note':
      return html`<div class="step note" dir="auto">${plainText(step.text)}</div>`;
    case 'call':
      return html`<div class="step call"><b>${plainText(step.name)}</b> <code dir="ltr">${plainText(step.input)}</code></div>`;
    case 'result':
      return resultView(step);
    case 'error':
      return html`<div class="step bad" dir="auto">${plainText(step.text)}</div>`;
    case 'plan':
      return html`<div class="step note" dir="auto">${step.items.map(({ title, state }) => `${state === 'completed' ? '☑' : '☐'} ${plainText(title)}`).join('\n')}</div>`;
    case 'usage':
      return '';
    case 'end': {
      const facts = [step.ok ? 'Finished' : 'Ended with an error', plainText(step.text)];
      const text = [...facts, usageText(step.usage)].filter(Boolean).join(' · ');
      return html`<div class="step end ${step.ok ? 'good' : 'bad'}" dir="auto">${text}</div>`;
    }
  }
}

function resultView({ ok, text }: { ok: boolean; text: string }): Markup {
  const shown = text.slice(0, maxCharacters).replace(/\n$/, '');
  const { lines } = terminalLines(shown);
  const rendered = raw(lines.join('\n'));
  const cut = text.length > maxCharacters ? html`\n… See the raw log for the rest.` : '';
  const tone = ok ? '' : ' bad';
  if (shown === '') return html`<div class="step result${tone}">${ok ? 'Done' : 'Failed'}</div>`;
  if (lines.length <= openLines)
    return html`<div class="step result${tone}">${rendered}${cut}</div>`;
  return html`<details class="step result${tone}"><summary>${ok ? '' : 'Failed: '}${lines.length} lines</summary>${rendered}${cut}</details>`;
}
