import type { CronSchedule } from 'base/schedule/cron';

/**
 * A schedule and its due times around a moment, worked out by hand, because the program's own could be wrong: every few
 * minutes, or at the listed times.
 */
export type KnownSchedule = CronSchedule &
  ({ everyMinutes: number } | { dueAt: readonly string[] });

/** A time at which the simulation begins. The due times are right from three hours before to three hours after it. */
export type Moment = { name: string; startsAt: string; schedules: readonly KnownSchedule[] };

const berlin = 'Europe/Berlin';
const newYork = 'America/New_York';
const lordHowe = 'Australia/Lord_Howe';
const everyMinute = { cron: '* * * * *', everyMinutes: 1 };
const everySecondMinute = { cron: '*/2 * * * *', everyMinutes: 2 };

export const moments: readonly [Moment, ...Moment[]] = [
  {
    name: 'the first Monday of a month',
    startsAt: '2026-01-05T08:58:30Z',
    schedules: [
      { ...everyMinute, timeZone: 'UTC' },
      { ...everySecondMinute, timeZone: berlin },
      { cron: '2 9 * * MON#1', timeZone: 'UTC', dueAt: ['2026-01-05T09:02Z'] },
    ],
  },
  {
    name: 'clocks in Berlin are set forward at 1:00Z',
    startsAt: '2026-03-29T00:58:30Z',
    schedules: [
      { ...everyMinute, timeZone: berlin },
      { cron: '30 2 * * *', timeZone: berlin, dueAt: ['2026-03-29T01:00Z'] },
      { cron: '1 3 * * *', timeZone: berlin, dueAt: ['2026-03-29T01:01Z'] },
    ],
  },
  {
    name: 'clocks in Berlin are set back at 1:00Z, before the repeated hour',
    startsAt: '2026-10-25T00:28:30Z',
    schedules: [
      { ...everySecondMinute, timeZone: berlin },
      { cron: '30 2 * * *', timeZone: berlin, dueAt: ['2026-10-25T00:30Z'] },
    ],
  },
  {
    name: 'clocks in Berlin were set back at 1:00Z, in the repeated hour',
    startsAt: '2026-10-25T01:28:30Z',
    schedules: [
      { ...everyMinute, timeZone: berlin },
      { cron: '30 2 * * *', timeZone: berlin, dueAt: ['2026-10-25T00:30Z'] },
    ],
  },
  {
    name: 'clocks in New York are set forward at 7:00Z',
    startsAt: '2026-03-08T06:58:30Z',
    schedules: [
      { ...everyMinute, timeZone: newYork },
      { cron: '30 2 * * *', timeZone: newYork, dueAt: ['2026-03-08T07:00Z'] },
    ],
  },
  {
    name: 'clocks in New York were set back at 6:00Z',
    startsAt: '2026-11-01T06:28:30Z',
    schedules: [
      { ...everyMinute, timeZone: newYork },
      { cron: '30 1 * * *', timeZone: newYork, dueAt: ['2026-11-01T05:30Z'] },
    ],
  },
  {
    name: 'clocks on Lord Howe were set back by half an hour at 15:00Z',
    startsAt: '2026-04-04T15:13:30Z',
    schedules: [
      { ...everyMinute, timeZone: lordHowe },
      { cron: '45 1 * * *', timeZone: lordHowe, dueAt: ['2026-04-04T14:45Z'] },
    ],
  },
  {
    name: 'a leap day begins',
    startsAt: '2028-02-28T23:58:30Z',
    schedules: [
      { ...everySecondMinute, timeZone: 'UTC' },
      { cron: '0 0 29 2 *', timeZone: 'UTC', dueAt: ['2028-02-29T00:00Z'] },
      { cron: '1 0 1 3 *', timeZone: 'UTC', dueAt: [] },
    ],
  },
  {
    name: 'a year without a leap day',
    startsAt: '2026-02-28T23:58:30Z',
    schedules: [
      { cron: '0 0 29 2 *', timeZone: 'UTC', dueAt: [] },
      { cron: '1 0 1 3 *', timeZone: 'UTC', dueAt: ['2026-03-01T00:01Z'] },
    ],
  },
];

const minuteMs = 60_000;

/** Returns the due times after `after`, up to `until`, in epoch ms. */
export function dueBetween(schedule: KnownSchedule, after: number, until: number): number[] {
  if ('dueAt' in schedule)
    return schedule.dueAt.map((at) => Date.parse(at)).filter((at) => at > after && at <= until);
  const everyMs = schedule.everyMinutes * minuteMs;
  const times: number[] = [];
  for (let at = Math.floor(after / everyMs + 1) * everyMs; at <= until; at += everyMs)
    times.push(at);
  return times;
}
