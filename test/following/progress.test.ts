import { retryDelayMs } from 'base/time/retry-delay';
import { describe, expect, it } from 'vitest';
import { pollDelayMs, quietPollDelayMs } from '../../src/following/poll-delays.ts';
import {
  afterAnswer,
  afterNotFound,
  followedLongEnough,
  nextPollAfterSilence,
} from '../../src/following/progress.ts';
import { aRequest, aRun } from '../support/builders.ts';

const now = Date.parse('2026-11-01T12:05:00Z');

describe('what an answer of the runs API means', () => {
  it.each(['SUCCEEDED', 'FAILED', 'ERROR', 'CANCELLED'])('%s ends the request', (state) => {
    const run = aRun({ state, updated_at: '2026-11-01T12:04:00Z' });
    expect(afterAnswer(aRequest(), run, now)).toMatchObject({ step: 'ended', endedAt: now, run });
  });

  it.each(['QUEUED', 'INPROGRESS', 'BLOCKED', 'A_STATE_NOBODY_KNOWS', ''])(
    '%s continues',
    (state) => {
      const run = aRun({ state, updated_at: '2026-11-01T12:04:00Z' });
      expect(afterAnswer(aRequest(), run, now)).toMatchObject({
        step: 'following',
        endedAt: null,
        run,
      });
    },
  );

  it('an answer older than the known state changes nothing', () => {
    const late = aRun({ state: 'QUEUED', updated_at: '2026-11-01T11:59:00Z' });
    expect(afterAnswer(aRequest(), late, now)).not.toHaveProperty('run');
  });

  it('an end counts even if the clock of the service was set back before it', () => {
    const ended = aRun({ state: 'SUCCEEDED', updated_at: '2026-11-01T11:00:00Z' });
    expect(afterAnswer(aRequest(), ended, now)).toMatchObject({ step: 'ended', run: ended });
  });

  it('a terminal state never changes, even for a newer answer', () => {
    const ended = aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) });
    const claim = aRun({ state: 'INPROGRESS', updated_at: '2030-01-01T00:00:00Z' });
    expect(afterAnswer(ended, claim, now)).not.toHaveProperty('run');
  });

  it('an answer clears the problem of a failure', () => {
    const troubled = aRequest({
      failures: 3,
      problem: { code: 'connection', message: '', since: 1 },
    });
    expect(afterAnswer(troubled, aRun(), now)).toMatchObject({ failures: 0, problem: null });
  });
});

describe("a run that the service doesn't know", () => {
  const minutesAgo = (minutes: number) => now - minutes * 60_000;

  it('is read again with growing delays', () => {
    const first = afterNotFound(aRequest({ failures: 0, missingSince: null }), now);
    expect(first).toMatchObject({ failures: 1, missingSince: now });
    expect(first).not.toHaveProperty('step');
  });

  it("isn't given up for many answers within a minute", () => {
    const request = aRequest({ failures: 50, missingSince: minutesAgo(1) });
    expect(afterNotFound(request, now)).not.toHaveProperty('step');
  });

  it('is given up after five minutes', () => {
    expect(afterNotFound(aRequest({ missingSince: minutesAgo(5) }), now)).toMatchObject({
      step: 'ended',
      problem: { code: 'gone', since: now },
      dueAt: null,
    });
  });

  it('gets five minutes again after it was known', () => {
    const request = aRequest({ failures: 3, missingSince: minutesAgo(4) });
    expect(afterAnswer(request, aRun(), now)).toMatchObject({ missingSince: null });
  });
});

describe('how long a run is followed', () => {
  const dayMs = 24 * 60 * 60_000;
  const asked = aRequest().acceptedAt;

  it('for a week after its last change', () => {
    const updated_at = new Date(asked + 30 * dayMs).toISOString();
    expect(followedLongEnough(aRequest(), aRun({ updated_at }), asked + 36 * dayMs)).toBe(false);
    expect(followedLongEnough(aRequest(), aRun({ updated_at }), asked + 38 * dayMs)).toBe(true);
  });

  it('for a week after it was requested, if the service gives no time', () => {
    expect(followedLongEnough(aRequest(), aRun({ updated_at: 'soon' }), asked + 6 * dayMs)).toBe(
      false,
    );
    expect(followedLongEnough(aRequest(), aRun({ updated_at: 'soon' }), asked + 8 * dayMs)).toBe(
      true,
    );
  });
});

describe('when a run that sweeps see is read', () => {
  const dayMs = 24 * 60 * 60_000;
  const asked = aRequest().acceptedAt;

  it("when it has been silent for a week and isn't followed any more", () => {
    const run = aRun({ updated_at: new Date(asked + 3 * dayMs).toISOString() });
    const at = nextPollAfterSilence(aRequest(), run, asked + 3 * dayMs);
    expect(at).toBe(asked + 10 * dayMs);
  });

  it('not at once if that week is over or its time is unreadable', () => {
    const now = asked + 30 * dayMs;
    for (const updated_at of ['2026-11-01T12:00:00Z', 'soon'])
      expect(nextPollAfterSilence(aRequest(), aRun({ updated_at }), now)).toBeGreaterThan(
        now + 3_600_000,
      );
  });
});

describe('when to look again', () => {
  it.each([
    [0, 1_000],
    [5_000, 1_000],
    [60_000, 6_000],
    [3_600_000, 30_000],
  ])('a run of age %d ms is polled after %d ms', (ageMs, delayMs) => {
    expect(pollDelayMs(ageMs, 0.5)).toBe(delayMs);
  });

  it.each([
    [0, 60_000],
    [3_600_000, 1_800_000],
    [90 * 24 * 3_600_000, 6 * 3_600_000],
  ])('a run of age %d ms that no sweep has seen is read after %d ms', (ageMs, delayMs) => {
    expect(quietPollDelayMs(ageMs, 0.5)).toBe(delayMs);
  });

  it('has 20% jitter', () => {
    expect([pollDelayMs(0, 0), pollDelayMs(0, 1)]).toEqual([800, 1_200]);
  });

  it.each([
    [1, 0, 1_000],
    [3, 0, 4_000],
    [50, 0, 60_000],
    [1, 90_000, 90_000],
  ])('after %d failures, asked to wait %d ms: %d ms', (failures, retryAfterMs, delayMs) => {
    expect(retryDelayMs(failures, retryAfterMs, 0.5)).toBe(delayMs);
  });
});
