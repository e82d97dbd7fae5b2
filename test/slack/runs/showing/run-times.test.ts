import { describe, expect, it } from 'vitest';
import { readDurationMs, readRunTimes } from '../../../../src/slack/runs/showing/run-times.ts';
import { aRequest, aRun } from '../../../support/builders.ts';

const at = (text: string) => Date.parse(`2026-11-01T${text}Z`);

it.each([
  ['PT134S', 134_000],
  ['PT0.5S', 500],
  ['PT1H2M3S', 3_723_000],
  ['P1DT1S', 86_401_000],
  ['two minutes', undefined],
  ['PT', undefined],
  ['', undefined],
  [null, undefined],
])('the duration %s is %s ms', (text, ms) => {
  expect(readDurationMs(text)).toBe(ms);
});

describe('the times of a run', () => {
  const times = {
    started_at: '2026-11-01T12:00:10.000Z',
    updated_at: '2026-11-01T12:01:00.000Z',
  };

  it('have no end while it runs', () => {
    const { started, ended, tookMs } = readRunTimes(aRequest({ run: aRun(times) }));
    expect({ started, ended, tookMs }).toEqual({ started: at('12:00:10'), ended: undefined });
  });

  it("use the service's duration rather than when we noticed the end", () => {
    const run = aRun({ ...times, state: 'SUCCEEDED', run_time: 'PT20S' });
    const request = aRequest({ step: 'ended', run, endedAt: at('12:05:00') });
    expect(readRunTimes(request)).toMatchObject({ ended: at('12:00:30'), tookMs: 20_000 });
  });

  it('use its last update otherwise', () => {
    const run = aRun({ ...times, state: 'FAILED' });
    const request = aRequest({ step: 'ended', run, endedAt: at('12:05:00') });
    expect(readRunTimes(request)).toMatchObject({ ended: at('12:01:00'), tookMs: 50_000 });
  });

  it("are left out when they can't be parsed", () => {
    const run = aRun({ state: 'SUCCEEDED', started_at: 'soon', updated_at: 'later' });
    const request = aRequest({ step: 'ended', run, endedAt: null });
    expect(readRunTimes(request)).toMatchObject({ started: undefined, ended: undefined });
  });
});
