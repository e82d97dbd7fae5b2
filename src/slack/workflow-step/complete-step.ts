import type { WebClient } from '@slack/web-api';
import type { Handled } from '../../inbox/inbox.ts';
import type { Logger } from '../../lib/logger.ts';
import { logWaiting } from '../../outbox/log-waiting.ts';
import { readSlackFailure, type SlackFailure } from '../posting/slack-failure.ts';
import type { StepResult } from './step-result.ts';

type Later = Extract<SlackFailure, { outcome: 'later' }>;
type Completion = Exclude<StepResult, { outcome: 'waiting' }>;

type CompleteStep = (executionId: string, result: Completion) => Promise<Handled>;

/** Between attempts while Slack can't be reached. */
const retryMs = 5_000;

/** Tells Slack the result of a step. Slack refuses a second completion, which does no harm. */
export function createStepCompleter({
  client,
  logger,
}: {
  client: Pick<WebClient, 'functions'>;
  logger: Logger;
}): CompleteStep {
  /** Epoch milliseconds. Until then, Slack would refuse every step. */
  let notBefore = 0;

  return async (executionId, result) => {
    if (Date.now() < notBefore) return { againAt: notBefore };
    const step = { function_execution_id: executionId };
    try {
      if (result.outcome === 'succeeded') {
        await client.functions.completeSuccess({ ...step, outputs: result.outputs });
      } else await client.functions.completeError({ ...step, error: result.reason });
      return 'done';
    } catch (error) {
      const trouble = readSlackFailure(error);
      if (trouble.outcome !== 'later') {
        logger.warn(
          { executionId, reason: trouble.reason },
          'Slack refused to complete a workflow step',
        );
        return 'done';
      }
      logWaiting(logger, trouble, { executionId }, 'completing a workflow step waits for Slack');
      const againAt = Date.now() + Math.max(trouble.retryAfterMs, retryMs);
      if (blocksAllSteps(trouble)) notBefore = againAt;
      return { againAt };
    }
  };
}

/** Whether every step would fail now: the app isn't allowed in, calls too often, or can't reach Slack. */
const blocksAllSteps = ({ isUndone, retryAfterMs }: Later): boolean =>
  isUndone === true || retryAfterMs < retryMs;
