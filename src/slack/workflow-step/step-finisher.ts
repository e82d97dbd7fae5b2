import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { sleep } from '../../lib/sleep.ts';
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
  #stopping = new AbortController();
  #nap = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(parts: StepFinisherParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#loop) return;
    this.#stopping = new AbortController();
    this.#loop = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#nap.abort();
    await this.#loop;
    this.#loop = undefined;
  }

  wake(): void {
    this.#nap.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#nap = new AbortController();
      const waiting = await this.#tick();
      const ms = waiting > 0 ? lookAgainMs : idleMs;
      await sleep(ms, AbortSignal.any([signal, this.#nap.signal]));
    }
  }

  async #tick(): Promise<number> {
    const { waits, logger } = this.#parts;
    try {
      const all = await waits.list();
      for (const { executionId, requestId } of all) await this.#finish(executionId, requestId);
      return all.length;
    } catch (error) {
      logger.error({ err: error }, 'steps of workflows were not looked at; trying again');
      return 1;
    }
  }

  async #finish(executionId: string, requestId: string): Promise<void> {
    const { client, requests, waits } = this.#parts;
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
      if (readSlackTrouble(error).outcome === 'later') return;
    }
    await waits.remove(executionId);
  }
}
