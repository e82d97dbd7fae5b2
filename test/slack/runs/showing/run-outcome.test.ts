import { describe, expect, it } from 'vitest';
import {
  answerOf,
  changesText,
  outcomeFacts,
  statusOf,
  stepText,
} from '../../../../src/slack/runs/showing/run-outcome.ts';
import { aRun } from '../../../support/builders.ts';

const changes = { files: 7, insertions: 1_041, deletions: 7 };
const pullRequest = {
  artifact_type: 'PULL_REQUEST',
  data: { url: 'https://github.com/acme/shop/pull/12', branch: 'agent/1', state: 'open' },
};

describe('what came of a run', () => {
  it('is what changed and its pull request', () => {
    const run = aRun({ agent_progress: { changes }, artifacts: [pullRequest] });
    expect(outcomeFacts(run)).toEqual(['7 files +1,041 −7', 'PR #12 open']);
  });

  it('is nothing when nothing changed', () => {
    const unchanged = { files: 0, insertions: 0, deletions: 0 };
    expect(outcomeFacts(aRun({ agent_progress: { changes: unchanged } }))).toEqual([]);
    expect(outcomeFacts(null)).toEqual([]);
  });

  it('lists the files that changed most, and how many more there are', () => {
    const largest = [{ path: 'src/`a`.ts', insertions: 1_000, deletions: 0 }];
    expect(changesText({ ...changes, largest })).toBe(
      '*7 files +1,041 −7*\n•  `src/ˋaˋ.ts` +1000 −0\n… 6 more',
    );
  });
});

describe('the progress of a run', () => {
  const plan = [
    { title: 'Read', state: 'completed' },
    { title: 'Write', state: 'in_progress' },
  ];

  it('is what the agent does, unless the plan says it', () => {
    const textOf = (step: string) => stepText(aRun({ agent_progress: { plan, step } }));
    expect(textOf('bash npm `test`')).toBe('`bash npm ˋtestˋ`');
    expect(textOf('Write')).toBeUndefined();
    expect(textOf('Read')).toBe('`Read`');
  });

  it('is none when the run has ended, and without news of the agent', () => {
    const agent_progress = { plan, step: 'bash npm test' };
    expect(stepText(aRun({ state: 'SUCCEEDED', agent_progress }))).toBeUndefined();
    expect(stepText(aRun({ agent_progress: { plan: [] } }))).toBeUndefined();
    expect(stepText(aRun())).toBeUndefined();
  });
});

describe('the answer', () => {
  const status_message = { message: 'the beginning' };

  it('is the whole answer, or else the message of a run that succeeded', () => {
    const run = aRun({ state: 'SUCCEEDED', status_message });
    expect(answerOf(run)).toBe('the beginning');
    expect(answerOf({ ...run, agent_progress: { answer: 'the beginning and the end' } })).toBe(
      'the beginning and the end',
    );
  });

  it('has no secrets', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const masked = 'The key is [masked secret 1].';
    expect(statusOf(aRun({ status_message: { message: `The key is ${key}.` } }))).toBe(masked);
    const agent_progress = { answer: `The key is ${key}.` };
    expect(answerOf(aRun({ state: 'SUCCEEDED', agent_progress }))).toBe(masked);
  });

  it('is none while the run is in progress, and when it failed', () => {
    for (const state of ['INPROGRESS', 'FAILED', 'CANCELLED'])
      expect(answerOf(aRun({ state, status_message }))).toBeUndefined();
  });
});
