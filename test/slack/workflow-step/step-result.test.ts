import { describe, expect, it } from 'vitest';
import { stepResult } from '../../../src/slack/workflow-step/step-result.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const problem = { code: 'unprocessable', message: 'No such environment.', since: 0 };
const status = { message: 'the tests do not pass' };

describe('what a workflow step returns', () => {
  it.each([
    ['an active run, waiting', aRequest(), true, 'waiting'],
    ['an active run, not waiting', aRequest(), false, 'succeeded'],
    ['no run yet, not waiting', aRequest({ step: 'posted', runId: null }), false, 'waiting'],
    ['an unfollowed run, waiting', aRequest({ unfollowedAt: 1 }), true, 'failed'],
    ['an unfollowed run, not waiting', aRequest({ unfollowedAt: 1 }), false, 'succeeded'],
    [
      'a run that succeeded',
      aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) }),
      true,
      'succeeded',
    ],
    [
      'a run that failed',
      aRequest({ step: 'ended', run: aRun({ state: 'FAILED', status_message: status }) }),
      true,
      'failed',
    ],
    [
      'a canceled run',
      aRequest({ step: 'ended', run: aRun({ state: 'CANCELLED' }) }),
      true,
      'failed',
    ],
    ['no run at all', aRequest({ step: 'not_started', runId: null, problem }), false, 'failed'],
    [
      'nowhere to post',
      aRequest({ step: 'ended', runId: null, run: null, problem }),
      true,
      'failed',
    ],
  ])('%s', (_, request, waits, outcome) => {
    expect(stepResult(request, waits).outcome).toBe(outcome);
  });

  it('says why the end of a run is not waited for any more', () => {
    expect(stepResult(aRequest({ unfollowedAt: 1 }), true)).toMatchObject({
      reason: expect.stringContaining("stopped this run's updates"),
    });
    const quiet = { code: 'followed_long_enough', message: '', since: 1 };
    expect(stepResult(aRequest({ unfollowedAt: 1, problem: quiet }), true)).toMatchObject({
      reason: expect.stringContaining("hadn't changed for a week"),
    });
  });

  it('has what came of the run', () => {
    const url = 'https://github.com/acme/shop/pull/12';
    const run = aRun({
      state: 'SUCCEEDED',
      artifacts: [{ artifact_type: 'PULL_REQUEST', data: { url } }],
      agent_progress: {
        answer: 'Fixed. <!channel>',
        changes: { files: 3, insertions: 41, deletions: 7 },
      },
    });
    expect(stepResult(aRequest({ step: 'ended', run }), true)).toMatchObject({
      outputs: {
        answer: 'Fixed. <\u2060!channel>',
        changes: '3 files +41 −7',
        pull_request_url: url,
      },
    });
    expect(stepResult(aRequest(), false)).toMatchObject({
      outputs: { answer: '', changes: '', pull_request_url: '' },
    });
  });

  it('says why it failed', () => {
    const failed = aRequest({
      step: 'ended',
      run: aRun({ state: 'FAILED', status_message: status }),
    });
    expect(stepResult(failed, true)).toMatchObject({
      reason: expect.stringContaining('do not pass'),
    });
    const rejected = aRequest({ step: 'not_started', runId: null, problem });
    expect(stepResult(rejected, true)).toMatchObject({
      reason: expect.stringContaining('No such environment'),
    });
  });
});
