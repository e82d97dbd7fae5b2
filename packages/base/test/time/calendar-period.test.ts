import { describe, expect, it } from 'vitest';
import { type CalendarUnit, calendarPeriod } from '../../src/time/calendar-period.ts';

const period = (unit: CalendarUnit, at: string, timeZone: string) => {
  const { firstDay, startsAt, endsAt } = calendarPeriod(unit, Date.parse(at), timeZone);
  return [firstDay, ...[startsAt, endsAt].map((ms) => new Date(ms).toISOString().slice(0, 16))];
};
const hours = (unit: CalendarUnit, at: string, timeZone: string) => {
  const { startsAt, endsAt } = calendarPeriod(unit, Date.parse(at), timeZone);
  return (endsAt - startsAt) / 3_600_000;
};

describe('a calendar period', () => {
  it('starts at midnight in its time zone', () => {
    expect(period('day', '2026-11-27T08:00Z', 'UTC')).toEqual([
      '2026-11-27',
      '2026-11-27T00:00',
      '2026-11-28T00:00',
    ]);
    expect(period('day', '2026-11-27T23:30Z', 'Europe/Berlin')).toEqual([
      '2026-11-28',
      '2026-11-27T23:00',
      '2026-11-28T23:00',
    ]);
    expect(period('day', '2026-11-27T02:00Z', 'America/Los_Angeles')[0]).toBe('2026-11-26');
  });

  it('contains its first moment, but not the first moment of the next period', () => {
    const at = Date.parse('2026-11-27T23:00Z');
    expect(calendarPeriod('day', at, 'Europe/Berlin').firstDay).toBe('2026-11-28');
    expect(calendarPeriod('day', at - 1, 'Europe/Berlin').firstDay).toBe('2026-11-27');
  });

  it('is a week from Monday, also over a new year', () => {
    expect(period('week', '2026-11-29T22:59Z', 'Europe/Berlin')[0]).toBe('2026-11-23');
    expect(period('week', '2026-11-29T23:00Z', 'Europe/Berlin')[0]).toBe('2026-11-30');
    expect(period('week', '2027-01-02T12:00Z', 'UTC')[0]).toBe('2026-12-28');
  });

  it('is a month with its own number of days', () => {
    expect(hours('month', '2028-02-29T12:00Z', 'UTC')).toBe(29 * 24);
    expect(hours('month', '2026-02-10T12:00Z', 'UTC')).toBe(28 * 24);
    expect(period('month', '2026-12-31T23:30Z', 'Europe/Berlin')[0]).toBe('2027-01-01');
    expect(period('day', '2028-02-29T23:59Z', 'UTC')[0]).toBe('2028-02-29');
  });

  it('is an hour shorter or longer when the clocks change', () => {
    expect(hours('day', '2026-03-29T12:00Z', 'Europe/Berlin')).toBe(23);
    expect(hours('day', '2026-10-25T12:00Z', 'Europe/Berlin')).toBe(25);
    expect(hours('week', '2026-03-29T12:00Z', 'Europe/Berlin')).toBe(7 * 24 - 1);
    expect(hours('month', '2026-10-25T12:00Z', 'Europe/Berlin')).toBe(31 * 24 + 1);
    expect(hours('month', '2026-11-01T12:00Z', 'America/New_York')).toBe(30 * 24 + 1);
  });

  it('starts later than midnight when a clock change skips midnight', () => {
    expect(period('day', '2026-04-24T12:00Z', 'Africa/Cairo')[1]).toBe('2026-04-23T22:00');
    expect(hours('day', '2026-04-24T12:00Z', 'Africa/Cairo')).toBe(23);
  });

  it('ends once when clocks are set back over midnight', () => {
    // On October 30, 2026, the clocks in Cairo go from the end of October 29 back to 23:00.
    const starts = new Set<number>();
    for (let at = Date.parse('2026-10-29T18:00Z'); at < Date.parse('2026-10-30T02:00Z'); at += 6e5)
      starts.add(calendarPeriod('day', at, 'Africa/Cairo').startsAt);
    expect([...starts].map((ms) => new Date(ms).toISOString().slice(0, 16))).toEqual([
      '2026-10-28T21:00',
      '2026-10-29T22:00',
    ]);
  });

  it('follows the one before without a gap at every kind of clock change', () => {
    const changes = [
      ['Pacific/Apia', '2011-12-30'],
      ['America/St_Johns', '2010-11-07'],
      ['America/Sao_Paulo', '2011-10-16'],
      ['America/Sao_Paulo', '2012-02-26'],
      ['Asia/Beirut', '2011-03-27'],
      ['America/Havana', '2011-11-13'],
      ['Australia/Lord_Howe', '2011-04-03'],
    ] as const;
    for (const [timeZone, day] of changes) {
      let at = Date.parse(`${day}T12:00Z`) - 3 * 24 * 3_600_000;
      for (let days = 0; days < 6; days += 1) {
        const { startsAt, endsAt } = calendarPeriod('day', at, timeZone);
        expect(startsAt).toBeLessThanOrEqual(at);
        const next = calendarPeriod('day', endsAt, timeZone);
        expect(next.startsAt, `${timeZone} ${new Date(endsAt).toISOString()}`).toBe(endsAt);
        at = endsAt;
      }
    }
  });
});
