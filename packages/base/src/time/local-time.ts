/** Calculates hours of the day in a person's time zone. Zones are IANA names; times are epoch ms. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the given time zone, or UTC if it's unknown. */
export function knownTimeZone(timeZone: string | null | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timeZone || 'UTC' }).resolvedOptions()
      .timeZone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
}

/** Returns true for the IANA name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Returns the next time after `now` when a clock in the zone shows this full hour. If a clock change skips this hour,
 * uses the hour after it.
 */
export function nextAtHour(now: number, hour: number, timeZone: string): number {
  const offset = offsetMs(now, timeZone);
  const midnight = Math.floor((now + offset) / dayMs) * dayMs;
  for (let day = 0; ; day += 1) {
    const wanted = midnight + day * dayMs + hour * hourMs;
    const near = wanted - offsetMs(wanted - offset, timeZone);
    const at = wanted - offsetMs(near, timeZone);
    if (at > now) return at;
  }
}

/** A range of full hours, possibly past midnight. */
type DayHours = { from: number; until: number };

/** Returns when the current period of these hours ends. Returns undefined if the hours don't include `now`. */
export function endOfHours(now: number, hours: DayHours, timeZone: string): number | undefined {
  const hour = hourAt(now, timeZone);
  const { from, until } = hours;
  const isWithin = from < until ? hour >= from && hour < until : hour >= from || hour < until;
  return from !== until && isWithin ? nextAtHour(now, until, timeZone) : undefined;
}

export const hourAt = (now: number, timeZone: string): number =>
  new Date(now + offsetMs(now, timeZone)).getUTCHours();

/** Returns the date that a calendar in the zone shows, as the epoch ms of its midnight in UTC. */
export const dateAt = (now: number, timeZone: string): number =>
  Math.floor((now + offsetMs(now, timeZone)) / dayMs) * dayMs;

/** Returns the date that a calendar in the zone shows, such as 2026-11-27. */
export const dayAt = (now: number, timeZone: string): string =>
  new Date(dateAt(now, timeZone)).toISOString().slice(0, 10);

/** Returns the zone's offset from UTC at a time, in ms. */
export function offsetMs(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const number = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  const local = Date.UTC(
    ...([number('year'), number('month') - 1, number('day')] as const),
    ...([number('hour'), number('minute'), number('second')] as const),
  );
  return local - Math.floor(at / 1000) * 1000;
}
