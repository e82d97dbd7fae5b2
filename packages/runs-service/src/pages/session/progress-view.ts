import { html } from 'hono/html';
import type { AgentProgress, ToolCall } from 'runs-client/contract';
import type { Markup } from '../page.ts';
import { runDuration } from '../run-views.ts';

/** Draws the answer, plan and tool calls of a run. The script replaces it as a whole while the run is active. */
export function progressView(progress: AgentProgress, ended: boolean): Markup {
  const { answer, step, plan, tool_calls: calls } = progress;
  return html`<div id="progress">
${answer ? html`<section><h2>${ended ? 'Answer' : 'So far'}</h2><pre class="prompt" dir="auto">${answer}</pre></section>` : ''}
${plan?.length ? planView(plan) : ''}
${calls?.length ? callsView(calls, ended ? undefined : (step ?? undefined)) : ''}
</div>`;
}

const marks: Record<string, string> = {
  pending: '☐',
  in_progress: '▸',
  completed: '☑',
  failed: '✕',
};
const stateWords: Record<string, string> = {
  pending: 'Pending',
  in_progress: 'In progress',
  completed: 'Completed',
  failed: 'Failed',
};

const markView = (state: string): Markup =>
  html`<span class="mark" role="img" aria-label="${stateWords[state] ?? state}">${marks[state] ?? '·'}</span>`;

function planView(plan: NonNullable<AgentProgress['plan']>): Markup {
  const done = plan.filter(({ state }) => state === 'completed').length;
  return html`<section><h2>Plan <span class="count">${done} of ${plan.length}</span></h2>
<ol class="plan">${plan.map(({ title, state }) => html`<li class="${state === 'completed' ? 'done' : ''}" dir="auto">${markView(state)} ${title}</li>`)}</ol></section>`;
}

function callsView(calls: readonly ToolCall[], step: string | undefined): Markup {
  const rows = calls.map(
    ({ name, input, state, run_time: time }) =>
      html`<li class="${state === 'failed' ? 'minus' : ''}">${markView(state)} <b>${name}</b> <code dir="ltr">${input ?? ''}</code>
<span class="by">${time ? runDuration(time) : ''}</span></li>`,
  );
  return html`<section><h2>Tool calls <span class="count">${calls.length}</span></h2>
${step ? html`<p class="live" dir="auto"><span class="dot"></span>${step}</p>` : ''}
<details ${step ? '' : 'open'}><summary>The newest ${calls.length}</summary><ol class="plan">${rows}</ol></details></section>`;
}
