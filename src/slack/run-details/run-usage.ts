/** Renders what a run spent: in total, by model, and under its tightest cap. */
import type { SectionBlock } from '@slack/types';
import type { Run } from 'runs-client/contract';
import { type ModelCost, readRunCost } from '../../requests/run-cost.ts';
import { capSpending } from '../runs/showing/cap-spending.ts';
import { usageFacts } from '../runs/showing/run-facts.ts';
import { section } from '../text/blocks.ts';
import { time } from '../text/dates.ts';
import { escapeText } from '../text/escape-text.ts';
import { dollars } from '../text/money.ts';

const maxModels = 10;

export function renderRunUsage(run: Run | null): SectionBlock[] {
  const total = usageFacts(run).join(', ');
  const { models = [], isIncomplete } = readRunCost(run) ?? {};
  const lines = [
    ...(total ? [`Tokens and cost: ${total}${isIncomplete ? ' (not all have a price)' : ''}`] : []),
    ...models.slice(0, maxModels).map(modelLine),
    ...(models.length > maxModels ? [`… ${models.length - maxModels} more models`] : []),
    ...capLines(run),
  ];
  return lines.length > 0 ? [section(['*Usage*', ...lines].join('\n'))] : [];
}

function modelLine({ model, micros, tokens, calls, estimatedCalls }: ModelCost): string {
  const facts = [
    micros === null ? 'no price' : dollars(micros),
    ...(tokens ? [`${tokens.toLocaleString('en-US')} ${tokens === 1 ? 'token' : 'tokens'}`] : []),
    ...(calls ? [`${calls.toLocaleString('en-US')} ${calls === 1 ? 'call' : 'calls'}`] : []),
    ...(estimatedCalls
      ? [`${estimatedCalls.toLocaleString('en-US')} with an estimated price`]
      : []),
  ];
  return `•  ${escapeText(model, 100)}: ${facts.join(', ')}`;
}

/**
 * Returns a line about the cap that is closest to its limit, if the service reports one. Tells how much a person, group
 * or workspace spent only when the cap is nearly spent, because the sum includes runs that readers may not see.
 */
function capLines(run: Run | null): string[] {
  const cap = capSpending(run);
  if (!cap || (cap.includesHiddenRuns && !cap.isNearlySpent)) return [];
  const { whose, spent, limit, period } = cap;
  const resetsAt = Date.parse(run?.request_usage?.tightest_cap?.resets_at ?? '');
  const resets = Number.isNaN(resetsAt) ? '' : `, resets ${time(resetsAt)}`;
  return [`Cap of ${escapeText(whose, 100)}: ${spent} of ${limit} spent${period}${resets}`];
}
