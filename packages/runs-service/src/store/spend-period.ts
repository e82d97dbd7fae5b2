import { type CalendarPeriod, calendarPeriod } from 'base/time/calendar-period';
import type { SpendCap } from './spend-cap.ts';

/** Period of a counter. Contains calls that start from `startsAt` until before `endsAt`, in epoch ms. */
export type SpendPeriod = { name: string; startsAt: number; endsAt: number };

/** Period of a run's own cap. It never ends. */
const wholeRun: SpendPeriod = { name: 'run', startsAt: 0, endsAt: Number.MAX_SAFE_INTEGER };

/** Returns the period of a cap that contains a time. */
export type FindPeriod = (cap: Pick<SpendCap, 'per' | 'timeZone'>, at: number) => SpendPeriod;

/** Creates a function that finds periods. It keeps the last period of each kind, because finding one takes 1 ms. */
export function createFindPeriod(): FindPeriod {
  const last = new Map<string, CalendarPeriod>();
  return ({ per, timeZone }, at) => {
    if (per === 'run') return wholeRun;
    const kind = `${per} ${timeZone}`;
    const known = last.get(kind);
    const isCurrent = known !== undefined && known.startsAt <= at && at < known.endsAt;
    const period = isCurrent ? known : calendarPeriod(per, at, timeZone);
    last.set(kind, period);
    const { firstDay, startsAt, endsAt } = period;
    return { name: `${per} ${firstDay} ${timeZone}`, startsAt, endsAt };
  };
}
