import { expect, it } from 'vitest';
import { nudgeAt, readLength } from '../../src/following/expected-times.ts';
import { aRequest, aRun } from '../support/builders.ts';

const minuteMs = 60_000;
const started = Date.parse('2026-11-01T12:02:00.000Z');
const run = aRun({ started_at: '2026-11-01T12:02:00.000Z' });

it.each([
  ['a run that waits for input', { run: aRun({ state: 'BLOCKED' }) }, 0],
  ['one that nobody follows', { run: aRun({ state: 'BLOCKED' }), unfollowedAt: 1 }, null],
  ['one of which nothing usual is known', { run }, null],
  ['one that has not begun', { run: aRun(), usual: { workMs: minuteMs } }, null],
  ['a short one', { run, usual: { workMs: minuteMs } }, started + 11 * minuteMs],
  ['a long one', { run, usual: { workMs: 60 * minuteMs } }, started + 180 * minuteMs],
] as const)('%s is due for a nudge in time', (_, changes, at) => {
  expect(nudgeAt(aRequest(changes))).toBe(at);
});

it('reads how long a run waited, and how long it worked if it succeeded', () => {
  const ended = { ...run, updated_at: '2026-11-01T12:05:00.000Z' };
  const config = { environment_id: 'shop' };
  const succeeded = aRequest({ config, run: { ...ended, state: 'SUCCEEDED' } });
  expect(readLength(succeeded)).toMatchObject({
    environment: 'shop',
    waitedMs: 2 * minuteMs,
    workedMs: 3 * minuteMs,
  });
  expect(readLength(aRequest({ run: { ...ended, state: 'FAILED' } }))).toMatchObject({
    environment: '',
    workedMs: null,
  });
  expect(readLength(aRequest({ run: aRun({ state: 'SUCCEEDED' }) }))).toBeUndefined();
});
