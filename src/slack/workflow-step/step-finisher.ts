import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { Requests } from '../../store/requests.ts';
import type { WorkflowWaits } from '../../store/workflow-waits.ts';
import { readSlackTrouble } from '../slack-trouble.ts';
import { stepResult } from './step-result.ts';

export type StepFinisherParts = {
  client: WebClient;
  requests: Pick<Requests, 'find'>;
  waits: WorkflowWaits;
  logger: Logger;
};

/** A workflow is in no hurry; with nothing to wait for, only other replicas could have added something. */
const lookAgainMs = 1_000;
const idleMs = 15_000;

/** Tells the steps of workflows how their runs went. Told twice, Slack refuses the second, which is fine. */
export class StepFinisher {
  readonly #parts: StepFinisherParts;
  readonly #loop = new Loop(() => this.#tick());

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

  async #tick(): Promise<number> {
    const { waits, logger } = this.#parts;
    try {
      const all = await waits.list();
      for (const { executionId, requestId } of all) await this.#finish(executionId, requestId);
      return all.length > 0 ? lookAgainMs : idleMs;
    } catch (error) {
      logger.error({ err: error }, 'steps of workflows were not looked at; trying again');
      return lookAgainMs;
    }
  }

  async #finish(executionId: string, requestId: string): Promise<void> {
    const { client, requests, waits, logger } = this.#parts;
    const request = await requests.find(requestId);
    const result = request
      ? stepResult(request, request.origin?.workflow?.waits ?? true)
      : { outcome: 'failed' as const, reason: 'The run is no longer known to the app.' };
    if (result.outcome === 'waiting') return;
    const step = { function_execution_id: executionId };
    try {
      if (result.outcome === 'succeeded') {
        await client.functions.completeSuccess({ ...step, outputs: result.outputs });
      } else await client.functions.completeError({ ...step, error: result.reason });
    } catch (error) {
      const { outcome, reason } = readSlackTrouble(error);
      if (outcome === 'later') return;
      logger.warn({ requestId, reason }, 'Slack does not take the end of a step');
    }
    await waits.remove(executionId);
  }
}
