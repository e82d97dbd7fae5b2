import { Cron } from 'croner';
import { offsetMs } from '../time/local-time.ts';

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
 * replaced by the end of the change. A time that it repeats is used once, unless the hour field begins with `*`.
 * @throws Error if the expression or the time zone can't be used
 */
export const nextTime = (schedule: CronSchedule, after: number): number | null =>
  timesOf(schedule)(after);

/** Due times of a schedule. All times are epoch ms. */
export type DueTimes = {
  /** Due time to act on now. Undefined if it's too late for all of them. */
  fireAt: number | undefined;
  /**
   * Number of due times that are skipped, with the first and the last one. From {@link mostCounted} on, there can be
   * more.
   */
  missed: { count: number; firstAt: number; lastAt: number } | undefined;
  /** Next due time. Null if there is none. */
  nextAt: number | null;
};

/**
 * Returns the time of the next look at a schedule, in epoch ms. It's within a day, so that a time that is too late,
 * because a clock was wrong, is found.
 */
export const nextLook = (nextAt: number | null, now: number): number | null =>
  nextAt === null ? null : Math.min(nextAt, now + dayMs);

const hourMs = 60 * 60_000;
/** Time after which a due time is too late, in ms. */
const lateMs = hourMs;
/** Number of missed due times after which only those of the last hour are counted, because each takes about 1 ms. */
export const mostCounted = 60;

/**
 * Returns what is due of a schedule whose next due time was `nextAt`. Of several due times, as after an outage, only
 * the newest counts, and only within an hour. If a clock that was ahead has set `nextAt`, the returned one is earlier.
 */
export function dueTimes(schedule: CronSchedule, nextAt: number, now: number): DueTimes {
  const after = timesOf(schedule);
  if (nextAt - now > lateMs) {
    const earlier = after(now) ?? nextAt;
    return { fireAt: undefined, missed: undefined, nextAt: Math.min(earlier, nextAt) };
  }
  const times: number[] = [];
  let next: number | null = nextAt;
  while (next !== null && next <= now) {
    times.push(next);
    // Skip most of a long outage, because only the last hour matters.
    next = after(times.length < mostCounted ? next : Math.max(next, now - lateMs));
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

/** Returns the most due times within an hour, in the day after the first due time. */
export function mostInHour(schedule: CronSchedule, after: number): number {
  const next = timesOf(schedule);
  const first = next(after);
  const times: number[] = [];
  // Each hour with due times has as many of them, so these are enough to count those of a whole one.
  for (let at = first; at !== null && times.length < 120; at = next(at)) {
    if (first !== null && at >= first + dayMs + hourMs) break;
    times.push(at);
  }
  const inHour = times.map((from) => times.filter((at) => at >= from && at < from + hourMs).length);
  return Math.max(0, ...inHour);
}

/** Returns the function that finds the first time after another one. */
function timesOf({ cron, timeZone }: CronSchedule): (after: number) => number | null {
  const hour = cron.trim().split(/\s+/)[1];
  if (hour?.startsWith('*')) {
    const parsed = parse(cron, timeZone);
    return (after) => parsed.nextRun(new Date(after))?.getTime() ?? null;
  }
  // Find the times that clocks in the zone show, because the parser handles clock changes only for a single hour
  // and minute.
  const inZone = parse(cron, 'UTC');
  return (after) => {
    let shown = inZone.nextRun(new Date(after + offsetMs(after, timeZone)))?.getTime();
    while (shown !== undefined) {
      const at = firstShown(shown, timeZone);
      if (at > after) return at;
      shown = inZone.nextRun(new Date(shown))?.getTime();
    }
    return null;
  };
}

const dayMs = 24 * 60 * 60_000;

/**
 * Returns the first time at which a clock in the zone shows a time, or a later one if it skips that time.
 * @param shown the shown time, as the epoch ms of that time in UTC
 */
function firstShown(shown: number, timeZone: string): number {
  const shows = (at: number) => at + offsetMs(at, timeZone);
  const offsets = [shown - dayMs, shown + dayMs].map((at) => offsetMs(at, timeZone));
  const [early, late] = [shown - Math.max(...offsets), shown - Math.min(...offsets)];
  for (const at of [early, late]) if (shows(at) === shown) return at;
  // Clocks skip the time between these two. Find the minute of the change.
  let [before, after] = [early, late];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (shows(middle) < shown) before = middle;
    else after = middle;
  }
  return after;
}

const minuteMs = 60_000;

/** Parses an expression with exactly five fields, so that nothing is due more often than once a minute. */
const parse = (cron: string, timezone: string) =>
  new Cron(cron, { mode: '5-part', timezone, paused: true });
