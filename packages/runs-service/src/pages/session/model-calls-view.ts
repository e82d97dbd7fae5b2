import { html } from 'hono/html';
import type { PresentedCalls } from '../../api/runs/present-calls.ts';
import type { Markup } from '../page.ts';
import { timeView } from '../run-views.ts';

/** Renders the run's model calls, folded because there can be hundreds. */
export function modelCallsView({ newest, count, cost }: PresentedCalls): Markup {
  if (count === 0) return html`<section id="model-calls" hidden></section>`;
  const calls = count === 1 ? '1 call' : `${count.toLocaleString('en-US')} calls`;
  const latest = newest.at(-1);
  const left = count - newest.length;
  const rows = newest.map(({ startedAt, model, isProblem, ...call }) => {
    const facts = [call.tokens, call.cost, call.result].filter(Boolean).join(' · ');
    return html`<li class="${isProblem ? 'minus' : ''}">${timeView(startedAt)} <code dir="ltr">${model}</code>
<span class="by">${facts}</span></li>`;
  });
  return html`<section id="model-calls"><h2>Model calls <span class="count">${calls}, ${cost}</span></h2>
${latest?.isProblem ? html`<p class="reason" role="status">${latest.result}</p>` : ''}
<details><summary>${left > 0 ? `Newest ${newest.length} model calls` : calls}</summary>
<ol class="plan">${rows}</ol></details></section>`;
}
