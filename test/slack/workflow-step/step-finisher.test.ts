import { WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import {
  StepFinisher,
  type StepFinisherParts,
} from '../../../src/slack/workflow-step/step-finisher.ts';
import { aRequest, aRun } from '../../support/builders.ts';

afterEach(() => void vi.useRealTimers());

const refusedWith = (error: string) => new WebAPIPlatformError({ ok: false, error });

/** Steps with ended runs, and a Slack that gives these answers and repeats the last one. */
function startFinisher(executionIds: string[], answers: (Error | 'taken')[]) {
  vi.useFakeTimers();
  const called: string[] = [];
  const waiting = new Set(executionIds);
  const lines: { level: number; msg: string }[] = [];
  const answer = async ({ function_execution_id: id }: { function_execution_id: string }) => {
    const given = answers[Math.min(called.push(id), answers.length) - 1];
    if (given instanceof Error) throw given;
  };
  const parts = {
    client: { functions: { completeSuccess: answer, completeError: answer } },
    requests: { find: async () => aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) }) },
    waits: {
      isEmpty: async () => waiting.size === 0,
      ready: async () => [...waiting].map((executionId) => ({ executionId, requestId: 'r' })),
      remove: async (executionId: string) => void waiting.delete(executionId),
      add: async () => {},
    },
    logger: createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  };
  const finisher = new StepFinisher(parts as unknown as StepFinisherParts);
  finisher.start();
  return { finisher, called, waiting, lines };
}

describe('completing workflow steps', () => {
  it.each(['token_revoked', 'invalid_auth', 'account_inactive', 'missing_scope'])(
    'retries once a minute after %s, with one call for all steps, until it works',
    async (reason) => {
      const refused = refusedWith(reason);
      const { finisher, called, waiting, lines } = startFinisher(
        ['one', 'two'],
        [refused, refused, 'taken'],
      );
      await vi.advanceTimersByTimeAsync(30_000);
      finisher.wake();
      await vi.advanceTimersByTimeAsync(29_000);
      expect(called).toEqual(['one']);
      expect(lines).toEqual([]);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(called).toEqual(['one', 'one']);
      expect([...waiting]).toEqual(['one', 'two']);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(called).toEqual(['one', 'one', 'one', 'two']);
      expect([...waiting]).toEqual([]);
      await finisher.stop();
    },
  );

  it('waits as long as Slack says when it is rate limited, and logs that', async () => {
    const { finisher, called, lines } = startFinisher(
      ['one', 'two'],
      [new WebAPIRateLimitedError(20), 'taken'],
    );
    await vi.advanceTimersByTimeAsync(10_000);
    finisher.wake();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(called).toEqual(['one']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(called).toEqual(['one', 'one', 'two']);
    expect(lines).toMatchObject([{ reason: 'ratelimited', msg: expect.stringMatching(/waits/) }]);
    await finisher.stop();
  });

  it('calls once in five seconds while Slack cannot be reached, however many steps wait', async () => {
    const away = new WebAPIRequestError(new Error('connect ECONNREFUSED'));
    const { finisher, called } = startFinisher(['one', 'two'], [away, away, 'taken']);
    await vi.advanceTimersByTimeAsync(4_000);
    finisher.wake();
    await vi.advanceTimersByTimeAsync(500);
    expect(called).toEqual(['one']);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(called).toEqual(['one', 'one', 'one', 'two']);
    await finisher.stop();
  });

  it('is not blocked by a step that Slack cannot complete now', async () => {
    const { finisher, waiting } = startFinisher(
      ['one', 'two'],
      [refusedWith('internal_error'), 'taken'],
    );
    await vi.advanceTimersByTimeAsync(100);
    expect([...waiting]).toEqual(['one']);
    await vi.advanceTimersByTimeAsync(6_000);
    expect([...waiting]).toEqual([]);
    await finisher.stop();
  });

  it('logs and drops a step that Slack no longer knows', async () => {
    const { finisher, waiting, lines } = startFinisher(
      ['one'],
      [refusedWith('function_execution_not_found')],
    );
    await vi.advanceTimersByTimeAsync(100);
    expect([...waiting]).toEqual([]);
    expect(lines).toMatchObject([{ reason: 'function_execution_not_found' }]);
    await finisher.stop();
  });
});
