import { dateAt, offsetMs } from './local-time.ts';

const dayMs = 24 * 3_600_000;

export type CalendarUnit = 'day' | 'week' | 'month';
/** A day, week or month in a time zone. Contains times from `startsAt` until before `endsAt`, in epoch ms. */
export type CalendarPeriod = {
  /** First day of the period, such as `2026-11-01`. */
  firstDay: string;
  startsAt: number;
  endsAt: number;
};

/** Returns the day, the week from Monday, or the month that contains a time. The zone is an IANA name. */
export function calendarPeriod(unit: CalendarUnit, at: number, timeZone: string): CalendarPeriod {
  const today = dateAt(at, timeZone);
  // Clocks that are set back over midnight show the end of a day twice. The second time belongs to the next day.
  for (const days of [0, 1, -1]) {
    const first = firstDayOf(unit, today + days * dayMs);
    const startsAt = startOfDay(first, timeZone);
    const endsAt = startOfDay(nextFirstDay(unit, first), timeZone);
    if (startsAt <= at && at < endsAt)
      return { firstDay: new Date(first).toISOString().slice(0, 10), startsAt, endsAt };
  }
  throw new Error(`No ${unit} in ${timeZone} contains ${at}.`);
}

/** Returns the first day of a date's period. Dates are the epoch ms of their midnight in UTC. */
function firstDayOf(unit: CalendarUnit, date: number): number {
  const day = new Date(date);
  if (unit === 'month') return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
  const daysSinceMonday = unit === 'week' ? (day.getUTCDay() + 6) % 7 : 0;
  return date - daysSinceMonday * dayMs;
}

function nextFirstDay(unit: CalendarUnit, first: number): number {
  const day = new Date(first);
  if (unit === 'month') return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
  return first + (unit === 'week' ? 7 : 1) * dayMs;
}

/**
 * Returns the first moment of a date in the zone. That's midnight, or a later time if a clock change skips midnight. The
 * offset from UTC at that moment is the one of the day before or of the day after.
 */
function startOfDay(date: number, timeZone: string): number {
  const before = date - offsetMs(date - dayMs, timeZone);
  const after = date - offsetMs(date + dayMs, timeZone);
  const first = Math.min(before, after);
  return dateAt(first, timeZone) >= date ? first : Math.max(before, after);
}
