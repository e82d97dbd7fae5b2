import { createLogger } from 'base/logger';
import { sleep } from 'base/sleep';
import { expect, it } from 'vitest';
import {
  deadlineSecondsOf,
  type FollowedAttempt,
  followAttempt,
} from '../../../src/remote/dispatch/follow-attempt.ts';

it('a cancel waits for a dispatch that is on its way, and no other one follows', async () => {
  const calls: string[] = [];
  const canceling = new AbortController();
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const until = (signal: AbortSignal) => sleep(2 ** 31 - 1, signal);
  const followed = {
    attempt: { runId: 'r', attempt: 1, environment: { runner: 'command' } },
    row: { dispatched_at: null, worker: null, token: 't' },
    runner: {
      async dispatch() {
        calls.push('dispatch');
        await arrived;
        calls.push('dispatched');
        throw new Error('the reply was lost');
      },
      cancel: async () => {
        calls.push('cancel');
      },
      watch: async (_: unknown, signal: AbortSignal) => until(signal),
    },
    poller: {
      // biome-ignore lint/correctness/useYield: it has no news
      async *follow(_: string, signal: AbortSignal) {
        await until(signal);
      },
    },
    dispatches: { of: async () => [{ worker: null }], accepted: async () => undefined },
    runs: { change: async () => undefined },
    serviceUrl: '',
    logger: createLogger('silent'),
    canceled: canceling.signal,
    leaving: new AbortController().signal,
  };
  const outcome = followAttempt(followed as unknown as FollowedAttempt);
  await expect.poll(() => calls).toEqual(['dispatch']);
  canceling.abort();
  // Nothing here waits for anything but promises, so a cancel would have come by now.
  await new Promise(setImmediate);
  expect(calls).toEqual(['dispatch']);
  arrive();
  expect(await outcome).toEqual({ how: 'canceled' });
  expect(calls).toEqual(['dispatch', 'dispatched', 'cancel']);
});

it('the deadline of a process has time for questions of the agent and about spending', () => {
  const environment = {
    id: 'a',
    repositories: [{ url: 'https://git.example/a/b' }],
    command: ['agent'],
    time_limit_seconds: 600,
    question_seconds: 100,
  };
  expect(deadlineSecondsOf(environment)).toBe(600 + 3_600);
  expect(deadlineSecondsOf({ ...environment, harness: 'acp', models: ['anthropic'] })).toBe(
    600 + 3_600 + 10 * 100 + 10 * 900,
  );
});
