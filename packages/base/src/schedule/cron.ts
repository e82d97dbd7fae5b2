import { Cron } from 'croner';

/** A cron expression with five fields, and the IANA time zone in which it applies. */
export type CronSchedule = { cron: string; timeZone: string };

/** Returns why a cron expression can't be used, in words. Undefined if it can. */
export function cronProblem({ cron, timeZone }: CronSchedule): string | undefined {
  if (cron.trim().split(/\s+/).length !== 5)
    return 'it needs five fields: minute, hour, day of the month, month, day of the week';
  try {
    const first = nextTime({ cron, timeZone }, Date.now());
    return first === null ? 'no time matches it' : undefined;
  } catch (error) {
    if (error instanceof Error) return error.message.replace(/^CronPattern: /, '');
    throw error;
  }
}

/**
 * Returns the first time after `after`, in epoch ms. Null if there is none. A time that a clock change skips is
 * replaced by the end of the change. A time that it repeats is used once, unless the hour field is `*`.
 * @throws Error if the expression or the time zone can't be used
 */
export const nextTime = (schedule: CronSchedule, after: number): number | null =>
  parse(schedule).nextRun(new Date(after))?.getTime() ?? null;

/** What is due of a schedule. All times are epoch ms. */
export type DueTimes = {
  /** Due time to act on now. Undefined if it's too late for all of them. */
  fireAt: number | undefined;
  /** Number of due times that are skipped, at most {@link mostCounted}, with the first and the last one. */
  missed: { count: number; firstAt: number; lastAt: number } | undefined;
  /** Next due time. Null if there is none. */
  nextAt: number | null;
};

/** Time after which a due time is too late, in ms. */
const lateMs = 60 * 60_000;
const mostCounted = 1_000;

/**
 * Returns what is due of a schedule whose next due time was `nextAt`. Of several due times, as after an outage, only
 * the newest counts, and only within an hour.
 */
export function dueTimes(schedule: CronSchedule, nextAt: number, now: number): DueTimes {
  const cron = parse(schedule);
  const after = (at: number) => cron.nextRun(new Date(at))?.getTime() ?? null;
  const times: number[] = [];
  let next: number | null = nextAt;
  while (next !== null && next <= now && times.length < mostCounted) {
    times.push(next);
    next = after(next);
  }
  if (next !== null && next <= now) {
    const newest = cron.previousRuns(1, new Date(now + 1))[0]?.getTime() ?? next;
    times[times.length - 1] = newest;
    next = after(newest);
  }
  const newest = times.at(-1);
  const fireAt = newest !== undefined && newest > now - lateMs ? newest : undefined;
  const missed = fireAt === undefined ? times : times.slice(0, -1);
  const [firstAt] = missed;
  const lastAt = missed.at(-1);
  return {
    fireAt,
    missed:
      firstAt === undefined || lastAt === undefined
        ? undefined
        : { count: missed.length, firstAt, lastAt },
    nextAt: next,
  };
}

/** Parses an expression with exactly five fields, so that nothing is due more often than once a minute. */
const parse = ({ cron, timeZone }: CronSchedule) =>
  new Cron(cron, { mode: '5-part', timezone: timeZone, paused: true });
