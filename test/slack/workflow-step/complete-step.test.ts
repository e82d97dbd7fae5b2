import { WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { createStepCompleter } from '../../../src/slack/workflow-step/complete-step.ts';

afterEach(() => void vi.useRealTimers());

const rejectedBy = (error: string) => new WebAPIPlatformError({ ok: false, error });

type Answers = (Error | 'taken')[];

/** Creates a Slack that gives these answers and repeats the last one. */
function slackWith(called: string[], answers: Answers) {
  const answer = async ({ function_execution_id: id }: { function_execution_id: string }) => {
    const given = answers[Math.min(called.push(id), answers.length) - 1];
    if (given instanceof Error) throw given;
  };
  return { functions: { completeSuccess: answer, completeError: answer } };
}

/**
 * Creates a completer of steps.
 * @param others answers to calls with the steps' own tokens
 */
function createCompleterWith(answers: Answers, others: Answers = []) {
  vi.useFakeTimers();
  const called: string[] = [];
  const tokens: string[] = [];
  const client = slackWith(called, answers);
  const clientWith = (token: string) => {
    tokens.push(token);
    return slackWith([], others);
  };
  const { logger, lines } = createLineLogger();
  const complete = createStepCompleter({ client, clientWith, logger });
  const links = { link: '', pull_request_url: '' };
  const outputs = { run_id: 'run-1', state: 'SUCCEEDED', answer: '', changes: '', ...links };
  const succeeded = { outcome: 'succeeded', outputs } as const;
  return {
    called,
    tokens,
    lines,
    complete: (executionId: string, token?: string) => complete({ executionId, token }, succeeded),
  };
}

const createCompleter = (...answers: Answers) => createCompleterWith(answers);

const inMs = (ms: number) => ({ againAt: Date.now() + ms });

describe('completing workflow steps', () => {
  it.each(['token_revoked', 'invalid_auth', 'account_inactive', 'missing_scope'])(
    'retries once a minute after %s, with one call for all steps, until it works',
    async (reason) => {
      const rejected = rejectedBy(reason);
      const { complete, called, lines } = createCompleter(rejected, rejected, 'taken');
      expect(await complete('one')).toEqual(inMs(60_000));
      vi.advanceTimersByTime(20_000);
      expect(await complete('two')).toEqual(inMs(40_000));
      expect(called).toEqual(['one']);
      expect(lines).toEqual([]);
      vi.advanceTimersByTime(40_000);
      expect(await complete('one')).toEqual(inMs(60_000));
      expect(await complete('two')).toEqual(inMs(60_000));
      expect(called).toEqual(['one', 'one']);
      vi.advanceTimersByTime(60_000);
      expect([await complete('one'), await complete('two')]).toEqual(['done', 'done']);
      expect(called).toEqual(['one', 'one', 'one', 'two']);
    },
  );

  it('waits as long as Slack says when it is rate limited, and logs that', async () => {
    const { complete, called, lines } = createCompleter(new WebAPIRateLimitedError(20), 'taken');
    expect(await complete('one')).toEqual(inMs(20_000));
    expect(await complete('two')).toEqual(inMs(20_000));
    vi.advanceTimersByTime(20_000);
    expect(await complete('two')).toBe('done');
    expect(called).toEqual(['one', 'two']);
    expect(lines).toMatchObject([{ reason: 'ratelimited', msg: expect.stringMatching(/waits/) }]);
  });

  it('calls once in five seconds while Slack cannot be reached, however many steps wait', async () => {
    const away = new WebAPIRequestError(new Error('connect ECONNREFUSED'));
    const { complete, called } = createCompleter(away, 'taken');
    expect(await complete('one')).toEqual(inMs(5_000));
    vi.advanceTimersByTime(4_000);
    expect(await complete('two')).toEqual(inMs(1_000));
    vi.advanceTimersByTime(1_000);
    expect(await complete('two')).toBe('done');
    expect(called).toEqual(['one', 'two']);
  });

  it('is not blocked by a step that Slack cannot complete now', async () => {
    const { complete } = createCompleter(rejectedBy('internal_error'), 'taken');
    expect(await complete('one')).toHaveProperty('againAt');
    expect(await complete('two')).toBe('done');
  });

  it('logs and drops a step that Slack no longer knows', async () => {
    const { complete, lines } = createCompleter(rejectedBy('function_execution_not_found'));
    expect(await complete('one')).toBe('done');
    expect(lines).toMatchObject([{ reason: 'function_execution_not_found' }]);
  });

  it("uses the step's own token only if Slack denies access to the app's", async () => {
    const taken = createCompleterWith(['taken']);
    expect(await taken.complete('one', 'xwfp-1')).toBe('done');
    expect(taken.tokens).toEqual([]);
    const { complete, tokens, lines } = createCompleterWith([denied], ['taken']);
    expect(await complete('one', 'xwfp-1')).toBe('done');
    expect(tokens).toEqual(['xwfp-1']);
    expect(lines).toEqual([]);
  });

  it('returns the error of Slack when no token works, and logs it once without a token', async () => {
    for (const others of [[denied], [rejectedBy('invalid_auth')]]) {
      const { complete, lines } = createCompleterWith([denied], others);
      expect(await complete('one', 'xwfp-1')).toEqual({ rejectedWith: 'access_denied' });
      expect(lines).toMatchObject([{ reason: 'access_denied' }]);
      expect(JSON.stringify(lines)).not.toContain('xwfp-1');
    }
    const { complete } = createCompleterWith([denied]);
    expect(await complete('one')).toEqual({ rejectedWith: 'access_denied' });
  });

  it("waits if Slack can't be reached with the step's token", async () => {
    const away = new WebAPIRequestError(new Error('connect ECONNREFUSED'));
    const { complete } = createCompleterWith([denied], [away]);
    expect(await complete('one', 'xwfp-1')).toEqual(inMs(5_000));
  });
});

const denied = rejectedBy('access_denied');
