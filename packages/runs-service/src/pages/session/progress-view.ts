import { html } from 'hono/html';
import type { AgentProgress, ToolCall } from 'runs-client/contract';
import type { Markup } from '../page.ts';
import { runDuration } from '../run-views.ts';

/** Renders the progress of an active run. The page's script replaces all of it after a change. */
export function progressView(progress: AgentProgress): Markup {
  return html`<div id="progress">
${messageView('Latest message', progress)}
${stepsView(progress, progress.step ?? undefined)}
</div>`;
}

/** Renders the agent's latest message, which is its answer once the run has ended. */
export function messageView(heading: string, { answer }: AgentProgress): Markup | string {
  if (!answer) return '';
  return html`<section id="answer"><h2>${heading}</h2><pre class="prompt" dir="auto">${answer}</pre></section>`;
}

/**
 * Renders the plan and the tool calls.
 * @param step the agent's current step, if the run is active
 */
export function stepsView({ plan, tool_calls: calls }: AgentProgress, step?: string): Markup {
  return html`${plan?.length ? planView(plan) : ''}
${calls?.length ? callsView(calls, step) : ''}`;
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
<details><summary>Newest ${calls.length} tool calls</summary><ol class="plan">${rows}</ol></details></section>`;
}
