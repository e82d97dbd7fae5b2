import { cronProblem, dueTimes, mostInHour, nextLook, nextTime } from 'base/schedule/cron';
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

it.each([
  ['* * * * *', 60],
  ['* 9 * * *', 60],
  ['*/7 9-17 * * 1-5', 9],
  ['0,30 23,0 * * 6,0', 2],
  ['0 9 1 * *', 1],
  ['0 0 30 2 *', 0],
])('finds how often a schedule is due in an hour: %s', (cron, most) => {
  expect(mostInHour(berlin(cron), at('2026-11-27T08:31Z'))).toBe(most);
});

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

/** Times in the zone during two days around a clock change. */
function timesAround(day: string, cron: string, timeZone: string): string[] {
  const end = at(`${day}T00:00Z`) + 40 * 3_600_000;
  const times: string[] = [];
  let next = nextTime({ cron, timeZone }, end - 60 * 3_600_000);
  while (next !== null && next < end) {
    times.push(new Date(next).toISOString().slice(5, 16));
    next = nextTime({ cron, timeZone }, next);
  }
  return times;
}

it.each<[zone: string, day: string, cron: string, on: string, times: string[]]>([
  // 02:00 to 03:00 is skipped.
  ['America/New_York', '2026-03-08', '30 1,2 * * *', '03-08', ['06:30', '07:00']],
  [
    'America/New_York',
    '2026-03-08',
    '*/20 1-3 * * *',
    '03-08',
    ['06:00', '06:20', '06:40', '07:00', '07:20', '07:40'],
  ],
  // 01:00 to 02:00 is repeated.
  ['America/New_York', '2026-11-01', '0,30 1 * * *', '11-01', ['05:00', '05:30']],
  ['America/New_York', '2026-11-01', '30 0-2 * * *', '11-01', ['04:30', '05:30', '07:30']],
  [
    'America/New_York',
    '2026-11-01',
    '30 */1 * * *',
    '11-01T0[4-7]',
    ['04:30', '05:30', '06:30', '07:30'],
  ],
  // Clocks change by half an hour, between 01:30 and 02:00 or 02:00 and 02:30.
  ['Australia/Lord_Howe', '2026-04-05', '45,50 1 * * *', '04-04', ['14:45', '14:50']],
  ['Australia/Lord_Howe', '2026-10-04', '0-45/15 2 * * *', '10-03', ['15:30', '15:45']],
  // There was no such day.
  ['Pacific/Apia', '2011-12-30', '0 9,21 * * *', '12-30', ['07:00', '10:00', '19:00']],
  // Clocks went from 23:59 to 1:00.
  ['America/Sao_Paulo', '2018-11-04', '0,30 0 * * *', '11-04', ['03:00']],
])('fires each time of a clock change once: %s on %s, %s', (zone, day, cron, on, times) => {
  const found = timesAround(day, cron, zone).filter((time) => new RegExp(`^${on}`).test(time));
  expect(found.map((time) => time.slice(6))).toEqual(times);
});

it('never finds a time twice or none, from any minute around a clock change', () => {
  const schedule = { cron: '*/20 1-2 * * *', timeZone: 'America/New_York' };
  for (const day of ['2026-03-08', '2026-11-01']) {
    const all = timesAround(day, schedule.cron, schedule.timeZone).map((time) =>
      at(`2026-${time}Z`),
    );
    for (let from = at(`${day}T04:00Z`); from < at(`${day}T09:00Z`); from += 7 * 60_000)
      expect(nextTime(schedule, from)).toBe(all.find((time) => time > from));
  }
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

it('moves a due time back that a wrong clock has set a year ahead', () => {
  const now = at('2026-11-27T09:20Z');
  const moved = { fireAt: undefined, missed: undefined, nextAt: at('2026-11-27T10:00Z') };
  expect(dueTimes(berlin('0 * * * *'), at('2027-11-27T10:00Z'), now)).toEqual(moved);
  const leapDay = at('2028-02-28T23:00Z');
  expect(dueTimes(berlin('0 0 29 2 *'), leapDay, now).nextAt).toBe(leapDay);
});

it('looks at a schedule within a day', () => {
  expect(nextLook(at('2026-11-27T10:00Z'), at('2026-11-27T09:20Z'))).toBe(at('2026-11-27T10:00Z'));
  expect(nextLook(at('2027-11-27T10:00Z'), at('2026-11-27T09:20Z'))).toBe(at('2026-11-28T09:20Z'));
  expect(nextLook(null, 0)).toBeNull();
});

it('counts few of the missed times after a long outage, and continues now', () => {
  const due = dueTimes(berlin('* * * * *'), at('2026-11-01T00:00Z'), at('2026-11-27T09:20:30Z'));
  expect(due.fireAt).toBe(at('2026-11-27T09:20Z'));
  expect(due.missed?.count).toBe(119);
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
