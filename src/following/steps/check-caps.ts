/** Checks caps before a start, for runs services that don't count what runs spend. */
import { calendarPeriod } from 'base/time/calendar-period';
import type { RunCap, RunLimits } from 'runs-client/run-limits';
import { RunsApiError } from 'runs-client/runs-api-error';
import { serviceOf } from '../../requests/connection.ts';
import { microsPerDollar } from '../../requests/run-cost.ts';
import { budgetExceeded } from '../../requests/run-progress.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Spending, SpendingScope } from '../../store/requests/spending.ts';

type CapCheckDeps = {
  spending: Pick<Spending, 'sum' | 'isCountedBy'>;
  /** Returns the people in a user group. Undefined while Slack doesn't answer. */
  membersOf(teamId: string, groupId: string): Promise<readonly string[] | undefined>;
};

export type CapProblem = {
  code: typeof budgetExceeded | 'cap_unchecked';
  message: string;
  /** True if the same check may succeed a moment later. */
  isPassing: boolean;
};

export type CapCheck = {
  /** Returns true if the request's service is known to count spending, and so to enforce limits. */
  isCounted(request: RunRequest): Promise<boolean>;
  /**
   * Returns a problem if a cap of a day, week or month is spent, by the costs that services have reported, or can't be
   * checked now. Leaves the check to a service that counts spending.
   */
  findSpent(request: RunRequest, now: number): Promise<CapProblem | undefined>;
};

export function createCapCheck({ spending, membersOf }: CapCheckDeps): CapCheck {
  async function scopeOf(
    { scope, group }: RunCap,
    { teamId, channelId, config, limits }: RunRequest,
  ): Promise<SpendingScope | 'unknown' | undefined> {
    switch (scope) {
      case 'person':
        return { creatorId: limits?.person ?? '' };
      case 'channel':
        return { channelId };
      case 'group': {
        const creatorIds = await membersOf(teamId, group ?? '');
        return creatorIds ? { creatorIds } : 'unknown';
      }
      case 'environment':
        return config.environment_id === undefined
          ? undefined
          : { environmentId: config.environment_id };
      case 'workspace':
        return 'workspace';
      case 'run':
        return undefined;
    }
  }

  const isCounted: CapCheck['isCounted'] = ({ teamId, connectionId }) =>
    spending.isCountedBy(teamId, serviceOf(connectionId));

  return {
    isCounted,

    async findSpent(request, now) {
      const caps = (request.limits?.caps ?? []).filter(({ per }) => per !== 'run');
      if (caps.length === 0 || (await isCounted(request))) return undefined;
      for (const cap of caps) {
        if (cap.per === 'run') continue;
        const scope = await scopeOf(cap, request);
        if (scope === undefined) continue;
        if (scope === 'unknown') return uncheckedGroup(cap);
        const period = calendarPeriod(cap.per, now, cap.time_zone ?? 'UTC');
        const { micros } = await spending.sum(request.teamId, scope, { since: period.startsAt });
        if (micros >= cap.usd * microsPerDollar) return spentProblem(cap, micros, period.endsAt);
      }
      return undefined;
    },
  };
}

const uncheckedGroup = ({ name }: RunCap): CapProblem => ({
  code: 'cap_unchecked',
  message: `Slack didn't say who is in ${name ?? 'a user group'}.`,
  isPassing: true,
});

const spentProblem = (cap: RunCap, micros: number, resetsAt: number): CapProblem => ({
  code: budgetExceeded,
  message: spentSentence(cap, micros, resetsAt),
  isPassing: false,
});

const periods = { day: 'today', week: 'this week', month: 'this month' } as const;

function spentSentence(
  { scope, name, usd, per, time_zone: timeZone = 'UTC' }: RunCap,
  micros: number,
  resetsAt: number,
): string {
  const when = per === 'run' ? '' : ` ${periods[per]}`;
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone }).format(resetsAt);
  const day = part({ weekday: 'long', month: 'long', day: 'numeric' });
  const time = part({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const unnamed = scope === 'person' ? 'The person who started this run' : `This ${scope}`;
  return `${name ?? unnamed} has spent ${dollars(micros)} of ${dollars(usd * microsPerDollar)}${when}. It resets on ${day} at ${time} (${timeZone}).`;
}

const dollars = (micros: number): string =>
  (micros / microsPerDollar).toLocaleString('en-US', { style: 'currency', currency: 'USD' });

/** Returns true if a service rejected a run because it doesn't accept the member `limits`. */
export function rejectsLimits(error: unknown): boolean {
  if (!(error instanceof RunsApiError)) return false;
  const { status = 0, problem, message } = error;
  const words = [problem?.detail, problem?.title, problem?.error, message].join(' ');
  return [400, 422].includes(status) && /\blimits\b/i.test(words);
}

/** Notes for a run that started without its limits. There are none if rules set no limits. */
export function unlimitedNotes({ caps, models }: RunLimits): string[] {
  const isCapped = caps?.some(({ per }) => per === 'run');
  if (!isCapped && !models) return [];
  const what = [isCapped && 'its spending cap', models && 'restricted models'].filter(Boolean);
  return [`Started without ${what.join(' and ')}, because the runs service can't enforce that.`];
}
