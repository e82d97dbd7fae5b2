import type { WebClient } from '@slack/web-api';
import { logWaiting } from '../../following/log-waiting.ts';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { WorkflowWaits } from '../../store/inbox/workflow-waits.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { readSlackFailure, type SlackFailure } from '../posting/slack-failure.ts';
import { stepResult } from './step-result.ts';

export type StepFinisherParts = {
  client: WebClient;
  requests: Pick<Requests, 'find'>;
  waits: WorkflowWaits;
  logger: Logger;
};

type Later = Extract<SlackFailure, { outcome: 'later' }>;

/** With nothing to wait for, only other replicas can add a step. */
const checkEveryMs = 1_000;
const idleMs = 15_000;
/** Between attempts while Slack can't be reached. */
const retryMs = 5_000;

/** Completes workflow steps when their runs have ended. Slack refuses a second completion, which does no harm. */
export class StepFinisher {
  readonly #parts: StepFinisherParts;
  readonly #loop = new Loop((signal) => this.#tick(signal));
  /** Epoch milliseconds. Until then, Slack would refuse every step. */
  #notBefore = 0;

  constructor(parts: StepFinisherParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  wake(): void {
    this.#loop.wake();
  }

  async #tick(signal: AbortSignal): Promise<number> {
    const { waits, logger } = this.#parts;
    // A new step wakes the loop, but has to wait too.
    const leftMs = this.#notBefore - Date.now();
    if (leftMs > 0) return leftMs;
    try {
      if (await waits.isEmpty()) return idleMs;
      let waitMs = checkEveryMs;
      for (const { executionId, requestId } of await waits.ready()) {
        if (signal.aborted) break;
        const trouble = await this.#finish(executionId, requestId);
        if (!trouble) continue;
        waitMs = Math.max(waitMs, trouble.retryAfterMs, retryMs);
        if (blocksAllSteps(trouble)) {
          this.#notBefore = Date.now() + waitMs;
          break;
        }
      }
      return waitMs;
    } catch (error) {
      logger.error({ err: error }, 'could not check workflow steps; retrying');
      return checkEveryMs;
    }
  }

  /** Returns why it has to be retried, if it does. */
  async #finish(executionId: string, requestId: string): Promise<Later | undefined> {
    const { client, requests, waits, logger } = this.#parts;
    const request = await requests.find(requestId);
    const result = request
      ? stepResult(request, request.origin?.workflow?.waits ?? true)
      : { outcome: 'failed' as const, reason: 'The app no longer knows this run.' };
    if (result.outcome === 'waiting') return undefined;
    const step = { function_execution_id: executionId };
    try {
      if (result.outcome === 'succeeded') {
        await client.functions.completeSuccess({ ...step, outputs: result.outputs });
      } else await client.functions.completeError({ ...step, error: result.reason });
    } catch (error) {
      const trouble = readSlackFailure(error);
      if (trouble.outcome === 'later') {
        logWaiting(logger, trouble, { requestId }, 'completing a workflow step waits for Slack');
        return trouble;
      }
      const { reason } = trouble;
      logger.warn({ requestId, reason }, 'Slack refused to complete a workflow step');
    }
    await waits.remove(executionId);
    return undefined;
  }
}

/** Whether every step would fail now: the app isn't allowed in, calls too often, or can't reach Slack. */
const blocksAllSteps = ({ isUndone, retryAfterMs }: Later): boolean =>
  isUndone === true || retryAfterMs < retryMs;
