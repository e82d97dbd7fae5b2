import { describe, expect, it } from 'vitest';
import { formatDayDivider, renderDateToken } from '../../src/page/text/date-token.ts';

/** Saturday, November 21, 2026, 03:00 UTC, which is still Friday evening in New York. */
const nowMs = Date.UTC(2026, 10, 21, 3);
const at = (hours: number) => nowMs / 1_000 + hours * 3_600;

describe('a date token', () => {
  it.each([
    ['{date_num}', 0, 'UTC', '2026-11-21'],
    ['{date_num}', 0, 'America/New_York', '2026-11-20'],
    ['{date}', 0, 'UTC', 'November 21, 2026'],
    ['{date_short}', 0, 'UTC', 'Nov 21, 2026'],
    ['{date_long}', 0, 'UTC', 'Saturday, November 21, 2026'],
    ['{date_short_pretty} at {time}', 0, 'Europe/London', 'today at 3:00 AM'],
    ['{date_pretty}', -24, 'UTC', 'yesterday'],
    ['{date_long_pretty}', 24, 'UTC', 'tomorrow'],
    ['{date_short_pretty}', -72, 'UTC', 'Nov 18, 2026'],
    ['{time}', 0, 'Asia/Kolkata', '8:30 AM'],
    ['{time_secs}', 0, 'UTC', '3:00:00 AM'],
    ['{ago}', -2, 'UTC', '2 hours ago'],
    ['{ago}', 0, 'UTC', 'just now'],
    ['on {nothing}', 0, 'UTC', 'the fallback'],
  ])('%s, %i hours away, in %s, reads %s', (format, hours, timeZone, expected) => {
    const token = { seconds: at(hours), format, fallback: 'the fallback' };
    expect(renderDateToken(token, { timeZone, nowMs })).toBe(expected);
  });

  it('uses the fallback for a time outside of the calendar', () => {
    const token = { seconds: 1e18, format: '{date}', fallback: 'some day' };
    expect(renderDateToken(token, { timeZone: 'UTC', nowMs })).toBe('some day');
  });
});

describe('a day divider', () => {
  it.each([
    [0, 'Today'],
    [-24, 'Yesterday'],
    [-72, 'Wednesday, November 18'],
  ])('%i hours away reads %s', (hours, expected) => {
    expect(formatDayDivider(at(hours) * 1_000, { timeZone: 'UTC', nowMs })).toBe(expected);
  });
});
