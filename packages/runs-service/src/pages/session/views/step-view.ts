import { html, raw } from 'hono/html';
import { plainText } from '../../../execution/output/last-lines.ts';
import { type AgentStep, usageText } from '../../../harnesses/steps/agent-step.ts';
import type { Markup } from '../../markup.ts';
import { terminalLines } from './terminal-lines.ts';

/** A longer result is folded. */
const openLines = 6;
/** A longer result is cut off; the raw log has all of it. */
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
      const words = [...facts, usageText(step.usage)].filter(Boolean).join(' · ');
      return html`<div class="step end ${step.ok ? 'good' : 'bad'}" dir="auto">${words}</div>`;
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
