import { cronProblem, dueTimes, nextTime } from 'base/schedule/cron';
import { expect, it } from 'vitest';

const at = (iso: string) => Date.parse(iso);
const berlin = (cron: string) => ({ cron, timeZone: 'Europe/Berlin' });

function timesAfter(cron: string, from: string, count: number) {
  const times: string[] = [];
  let next: number | null = at(from);
  for (let index = 0; index < count && next !== null; index += 1) {
    next = nextTime(berlin(cron), next);
    if (next !== null) times.push(new Date(next).toISOString().slice(0, 16));
  }
  return times;
}

it('fires once a day on both days on which clocks change', () => {
  expect(timesAfter('30 2 * * *', '2026-03-28T12:00Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  expect(timesAfter('30 2 * * *', '2026-10-24T12:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

it('fires every hour while clocks change', () => {
  const hours = ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'];
  expect(timesAfter('0 * * * *', '2026-10-24T23:30Z', 3)).toEqual(hours);
});

it('finds leap days and the first Monday of a month', () => {
  expect(timesAfter('0 9 29 2 *', '2026-11-27T00:00Z', 1)).toEqual(['2028-02-29T08:00']);
  expect(timesAfter('30 8 * * MON#1', '2026-11-27T00:00Z', 1)).toEqual(['2026-12-07T07:30']);
});

it('fires only the newest of several due times, within an hour', () => {
  const hourly = berlin('0 * * * *');
  const [first, now] = [at('2026-11-27T06:00Z'), at('2026-11-27T09:20Z')];
  expect(dueTimes(hourly, first, now)).toEqual({
    fireAt: at('2026-11-27T09:00Z'),
    missed: { count: 3, firstAt: first, lastAt: at('2026-11-27T08:00Z') },
    nextAt: at('2026-11-27T10:00Z'),
  });
  expect(dueTimes(berlin('0 9 * * *'), at('2026-11-27T08:00Z'), at('2026-11-27T09:00Z'))).toEqual({
    fireAt: undefined,
    missed: { count: 1, firstAt: at('2026-11-27T08:00Z'), lastAt: at('2026-11-27T08:00Z') },
    nextAt: at('2026-11-28T08:00Z'),
  });
});

it('does nothing if a clock was set back', () => {
  const nextAt = at('2026-11-27T10:00Z');
  expect(dueTimes(berlin('0 * * * *'), nextAt, nextAt - 1)).toEqual({
    fireAt: undefined,
    missed: undefined,
    nextAt,
  });
});

it('counts at most 1,000 missed times after a long outage, and continues now', () => {
  const due = dueTimes(berlin('* * * * *'), at('2026-11-01T00:00Z'), at('2026-11-27T09:20:30Z'));
  expect(due.fireAt).toBe(at('2026-11-27T09:20Z'));
  expect(due.missed?.count).toBe(999);
  expect(due.nextAt).toBe(at('2026-11-27T09:21Z'));
});

it.each([
  ['0 9 * *', /five fields/],
  ['* * * * * *', /five fields/],
  ['61 * * * *', /minute: 61/],
  ['0 0 30 2 *', /no time matches/],
  ['@reboot', /./],
])('explains why %s cannot be used', (cron, why) => {
  expect(cronProblem(berlin(cron))).toMatch(why);
});

it('accepts five fields', () => {
  expect(cronProblem(berlin('0 9 * * 1-5'))).toBeUndefined();
  expect(cronProblem({ cron: '0 9 * * *', timeZone: 'Mars/Base' })).toMatch(/./);
});
