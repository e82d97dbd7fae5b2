/** Reads what is spent of a run's tightest cap, for the run message and *Details*. */
import type { Run } from 'runs-client/contract';
import { microsPerDollar } from '../../../requests/run-cost.ts';
import { dollars } from '../../text/money.ts';

type CapSpending = {
  /** Name of what the cap limits, such as "this run". */
  whose: string;
  spent: string;
  limit: string;
  /** Period with a space before it, such as " today". Empty for a cap of a run. */
  period: string;
  isNearlySpent: boolean;
  /** True if the sum includes runs that readers of this run may not see, such as those in private channels. */
  includesHiddenRuns: boolean;
};

/** Share of a cap from which everyone who sees the run is told how much is spent. */
const warnedShare = 0.8;

const periods: Record<string, string> = { day: ' today', week: ' this week', month: ' this month' };
const openScopes: readonly string[] = ['run', 'channel', 'environment'];

/** Returns what is spent of the cap that is closest to its limit, if the service reports one. */
export function capSpending(run: Run | null): CapSpending | undefined {
  const cap = run?.request_usage?.tightest_cap;
  if (!cap || !(cap.spent_usd >= 0 && cap.limit_usd > 0)) return undefined;
  const { scope, name, per, spent_usd: spent, limit_usd: limit } = cap;
  const amount = (usd: number) => dollars(Math.round(usd * microsPerDollar));
  return {
    whose: spenderName(scope, name),
    spent: amount(spent),
    limit: amount(limit),
    period: periods[per] ?? '',
    isNearlySpent: spent >= limit * warnedShare,
    includesHiddenRuns: !openScopes.includes(scope),
  };
}

function spenderName(scope: string, name: string | null | undefined): string {
  if (name && scope !== 'run') return name;
  return scope === 'person' ? 'the person who started this run' : `this ${scope}`;
}
