import type { WebClient } from '@slack/web-api';
import { logWaiting } from '../../following/log-waiting.ts';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { Requests } from '../../store/requests.ts';
import type { WorkflowWaits } from '../../store/workflow-waits.ts';
import { readSlackTrouble, type SlackTrouble } from '../posting/slack-trouble.ts';
import { stepResult } from './step-result.ts';

export type StepFinisherParts = {
  client: WebClient;
  requests: Pick<Requests, 'find'>;
  waits: WorkflowWaits;
  logger: Logger;
};

type Later = Extract<SlackTrouble, { outcome: 'later' }>;

/** A workflow is in no hurry; with nothing to wait for, only other replicas could have added something. */
const lookAgainMs = 1_000;
const idleMs = 15_000;
/** Between two tries while Slack cannot be reached. */
const awayMs = 5_000;

/** Tells the steps of workflows how their runs went. Told twice, Slack refuses the second, which is fine. */
export class StepFinisher {
  readonly #parts: StepFinisherParts;
  readonly #loop = new Loop((signal) => this.#tick(signal));
  /** Epoch milliseconds; until then Slack would say the same of every step. */
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
    // Woken for a new step, which has to wait as well.
    const leftMs = this.#notBefore - Date.now();
    if (leftMs > 0) return leftMs;
    try {
      if (await waits.isEmpty()) return idleMs;
      let waitMs = lookAgainMs;
      for (const { executionId, requestId } of await waits.ready()) {
        if (signal.aborted) break;
        const trouble = await this.#finish(executionId, requestId);
        if (!trouble) continue;
        waitMs = Math.max(waitMs, trouble.retryAfterMs, awayMs);
        if (isOfAll(trouble)) {
          this.#notBefore = Date.now() + waitMs;
          break;
        }
      }
      return waitMs;
    } catch (error) {
      logger.error({ err: error }, 'steps of workflows were not looked at; trying again');
      return lookAgainMs;
    }
  }

  /** Answers why it must be tried again, if it must. */
  async #finish(executionId: string, requestId: string): Promise<Later | undefined> {
    const { client, requests, waits, logger } = this.#parts;
    const request = await requests.find(requestId);
    const result = request
      ? stepResult(request, request.origin?.workflow?.waits ?? true)
      : { outcome: 'failed' as const, reason: 'The run is no longer known to the app.' };
    if (result.outcome === 'waiting') return undefined;
    const step = { function_execution_id: executionId };
    try {
      if (result.outcome === 'succeeded') {
        await client.functions.completeSuccess({ ...step, outputs: result.outputs });
      } else await client.functions.completeError({ ...step, error: result.reason });
    } catch (error) {
      const trouble = readSlackTrouble(error);
      if (trouble.outcome === 'later') {
        logWaiting(logger, trouble, { requestId }, 'telling a step of a workflow waits');
        return trouble;
      }
      const { reason } = trouble;
      logger.warn({ requestId, reason }, 'Slack does not take the end of a step');
    }
    await waits.remove(executionId);
    return undefined;
  }
}

/** The next step would be told the same: the app is not let in, has called too often, or hears nothing of Slack itself. */
const isOfAll = ({ isUndone, retryAfterMs }: Later): boolean =>
  isUndone === true || retryAfterMs < awayMs;
