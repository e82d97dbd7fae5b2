import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { Handled } from '../../inbox/inbox.ts';
import { logWaiting } from '../../outbox/post-once.ts';
import { readSlackFailure, type SlackFailure } from '../posting/slack-failure.ts';
import type { StepResult } from './step-result.ts';

type Later = Extract<SlackFailure, { outcome: 'later' }>;
type Completion = Exclude<StepResult, { outcome: 'waiting' }>;
type Client = Pick<WebClient, 'functions'>;

/** `token`: the one that Slack sent with the step. */
type Step = { executionId: string; token?: string | undefined };

/** `refused`: Slack's error. The workflow can't continue. */
export type Completed = Handled | { refused: string };

type CompleteStep = (step: Step, result: Completion) => Promise<Completed>;

type CompleterParts = {
  client: Client;
  /** A client that uses another token than the app's own. */
  clientWith(token: string): Client;
  logger: Logger;
};

/** Between attempts while Slack can't be reached. */
const retryMs = 5_000;

/** The step has ended without us: nobody waits for its result. */
const over: readonly string[] = ['function_execution_not_found', 'execution_not_in_running_state'];

/**
 * Tells Slack the result of a step. Slack refuses a second completion, which does no harm. Runs take longer than the 15
 * minutes that the step's own token works, so it's only tried when Slack denies access to the app's token.
 */
export function createStepCompleter({ client, clientWith, logger }: CompleterParts): CompleteStep {
  /** Epoch milliseconds. Until then, Slack would refuse every step. */
  let notBefore = 0;

  async function wait(trouble: Later, executionId: string): Promise<Handled> {
    logWaiting(logger, trouble, { executionId }, 'completing a workflow step waits for Slack');
    const againAt = Date.now() + Math.max(trouble.retryAfterMs, retryMs);
    if (blocksAllSteps(trouble)) notBefore = againAt;
    return { againAt };
  }

  return async ({ executionId, token }, result) => {
    if (Date.now() < notBefore) return { againAt: notBefore };
    const trouble = await send(client, executionId, result);
    if (!trouble) return 'done';
    if (trouble.outcome === 'later') return wait(trouble, executionId);
    const { reason } = trouble;
    const isOver = over.includes(reason);
    const other =
      token === undefined || isOver ? trouble : await send(clientWith(token), executionId, result);
    if (!other) return 'done';
    // `isQuiet`: this token is rejected, which no admin mends.
    if (other.outcome === 'later' && !other.isQuiet) return wait(other, executionId);
    logger.warn({ executionId, reason }, 'Slack refused to complete a workflow step');
    return isOver ? 'done' : { refused: reason };
  };
}

async function send(
  { functions }: Client,
  executionId: string,
  result: Completion,
): Promise<SlackFailure | undefined> {
  const step = { function_execution_id: executionId };
  try {
    await (result.outcome === 'succeeded'
      ? functions.completeSuccess({ ...step, outputs: result.outputs })
      : functions.completeError({ ...step, error: result.reason }));
    return undefined;
  } catch (error) {
    return readSlackFailure(error);
  }
}

/** Whether every step would fail now: the app isn't allowed in, calls too often, or can't reach Slack. */
const blocksAllSteps = ({ isUndone, retryAfterMs }: Later): boolean =>
  isUndone === true || retryAfterMs < retryMs;
