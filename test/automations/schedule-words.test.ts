import { cronProblem, nextTime } from 'base/schedule/cron';
import { describe, expect, it } from 'vitest';
import { readSchedule, scheduleWords } from '../../src/automations/schedule-words.ts';

const sentences: [words: string, cron: string][] = [
  ['every minute', '* * * * *'],
  ['every 15 minutes', '*/15 * * * *'],
  ['every hour', '0 * * * *'],
  ['every hour at :05', '5 * * * *'],
  ['every 6 hours', '0 */6 * * *'],
  ['every day at 9:00', '0 9 * * *'],
  ['every day at 9:30 and 17:30', '30 9,17 * * *'],
  ['every weekday at 9:00', '0 9 * * MON-FRI'],
  ['every Saturday and Sunday at 0:00', '0 0 * * SAT,SUN'],
  ['every Monday at 8:05', '5 8 * * MON'],
  ['every Monday, Wednesday and Friday at 14:30', '30 14 * * MON,WED,FRI'],
  ['on the first Monday of the month at 8:30', '30 8 * * MON#1'],
  ['on the last Friday of the month at 16:00', '0 16 * * FRI#L'],
  ['on day 15 of the month at 9:00', '0 9 15 * *'],
  ['on the last day of the month at 18:00', '0 18 L * *'],
];

describe('schedules in words', () => {
  it.each(sentences)('reads and writes "%s"', (words, cron) => {
    expect(readSchedule(words)).toEqual({ cron });
    expect(scheduleWords(cron)).toBe(words);
    expect(cronProblem({ cron, timeZone: 'Europe/Berlin' })).toBeUndefined();
  });

  it.each([
    ['Daily at 9', '0 9 * * *'],
    ['weekdays at 9am', '0 9 * * MON-FRI'],
    ['Monday to Friday at 12 am', '0 0 * * MON-FRI'],
    ['every weekend at noon', '0 12 * * SAT,SUN'],
    ['on Mondays at 5:15 pm', '15 17 * * MON'],
    ['every fri, and mon at midnight.', '0 0 * * MON,FRI'],
    ['first Monday of the month at 8:30', '30 8 * * MON#1'],
    ['every first Monday of the month at 8:30', '30 8 * * MON#1'],
    ['the first Monday of every month at 8:30', '30 8 * * MON#1'],
    ['on the 1st of every month at 9:00', '0 9 1 * *'],
    ['every 1 hours', '0 * * * *'],
    ['  0  9 * * 1-5 ', '0 9 * * 1-5'],
    ['cron 0 9 * * MON#1', '0 9 * * MON#1'],
    ['cron: 0 9 * * 1-5', '0 9 * * 1-5'],
    ['every day at 17:00, 9:00 and 9:00', '0 9,17 * * *'],
  ])('also reads "%s"', (words, cron) => {
    expect(readSchedule(words)).toEqual({ cron });
  });

  it.each([
    ['', /^Say when it runs\. Type it like .*\.$/],
    ['soon', /^“soon” isn't a schedule\. Type it like .*\.$/],
    ['every weekday', /Add a time, such as “every weekday at 9:00”/],
    ['every weekday at nine', /isn't a time/],
    ['every day at 25:00', /isn't a time/],
    ['every day at 0 am', /isn't a time/],
    ['every day at 9:75', /isn't a time/],
    ['every day at 9:00 and 17:30', /same minutes/],
    ['every 7 minutes', /divisor of 60/],
    ['every 0 hours', /divisor of 24/],
    ['32nd of the month at 9:00', /isn't a schedule/],
    ['fifth Monday of the month at 9:00', /isn't a schedule/],
    ['0 9 * * 9', /can't be used/],
    ['0 0 30 2 *', /no time matches/],
    ['every hour at 99', /isn't a schedule/],
  ])('explains why "%s" can\'t be read', (words, problem) => {
    expect(readSchedule(words)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it.each([
    ['0 9 * * 1-5', 'every weekday at 9:00'],
    ['0 9 * * 1,2,3,4,5', 'every weekday at 9:00'],
    ['0 9 * * 7', 'every Sunday at 9:00'],
    ['0 9 * * 5-7', 'every Friday, Saturday and Sunday at 9:00'],
    ['0 9 * * 0-6', 'every day at 9:00'],
    ['0 9 1 1 *', 'cron 0 9 1 1 *'],
    ['0 9 1 * MON', 'cron 0 9 1 * MON'],
    ['*/7 * * * *', 'cron */7 * * * *'],
    ['0-30 9 * * *', 'cron 0-30 9 * * *'],
  ])('writes %s as "%s"', (cron, words) => {
    expect(scheduleWords(cron)).toBe(words);
  });

  it.each(['0 9 1 1 *', '*/7 * * * *', '0 9 * * 5L'])('reads its own words for %s', (cron) => {
    expect(readSchedule(scheduleWords(cron))).toEqual({ cron });
  });

  it('reads a hostile text quickly', () => {
    const problem = expect.stringMatching(/isn't a schedule/);
    expect(readSchedule(`every ${'a at , and '.repeat(20_000)}`)).toEqual({ problem });
  });

  it('means the same times as the cron expression in words', () => {
    const next = (cron: string) => nextTime({ cron, timeZone: 'UTC' }, Date.UTC(2026, 10, 27));
    for (const cron of ['0 9 * * 1-5', '0 9 * * 7', '0 9 * * 5-7', '30 8 * * 1#1']) {
      const read = readSchedule(scheduleWords(cron));
      expect('cron' in read && next(read.cron)).toBe(next(cron));
    }
  });
});
