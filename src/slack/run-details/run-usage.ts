/** Renders what a run spent: in total, by model, and under its tightest cap. */
import type { SectionBlock } from '@slack/types';
import type { Run } from 'runs-client/contract';
import { type ModelCost, microsPerDollar, readRunCost } from '../../requests/run-cost.ts';
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

const periods: Record<string, string> = {
  run: '',
  day: ' today',
  week: ' this week',
  month: ' this month',
};

/** Returns a line about the cap that is closest to its limit, if the service reports one. */
function capLines(run: Run | null): string[] {
  const cap = run?.request_usage?.tightest_cap;
  if (!cap || ![cap.spent_usd, cap.limit_usd].every((usd) => usd >= 0)) return [];
  const whose = cap.scope === 'run' ? 'this run' : (cap.name ?? `this ${cap.scope}`);
  const [spent, limit] = [cap.spent_usd, cap.limit_usd].map((usd) =>
    dollars(Math.round(usd * microsPerDollar)),
  );
  const resetsAt = Date.parse(cap.resets_at ?? '');
  const resets = Number.isNaN(resetsAt) ? '' : `, resets ${time(resetsAt)}`;
  return [
    `Cap of ${escapeText(whose, 100)}: ${spent} of ${limit} spent${periods[cap.per] ?? ''}${resets}`,
  ];
}
