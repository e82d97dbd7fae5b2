import type { Logger } from '../lib/logger.ts';
import { sleep } from '../lib/sleep.ts';
import type { ServiceRunQueue } from '../store/service-run-queue.ts';
import type { ServiceRun, ServiceRuns } from '../store/service-runs.ts';
import { chooseNext } from './choose-next.ts';
import type { AbortReason, RunEnd } from './run-end.ts';
import { interrupted } from './run-end.ts';
import type { ExecuteRun } from './run-executor.ts';
import { statesBefore } from './run-state.ts';

export type RunQueueOptions = {
  runs: ServiceRuns;
  queue: ServiceRunQueue;
  execute: ExecuteRun;
  /** Names this process in the store. */
  owner: string;
  concurrency: number;
  roomIn: (environmentId: string) => number;
  logger: Logger;
};

const tickMs = 1_000;
/** A run whose process gave no sign of life for this long is taken for dead. */
const leaseMs = 30_000;

/** Takes queued runs from the store and executes them, a few at a time. */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #going = new Map<string, { abort: AbortController; done: Promise<void> }>();
  #loop: { stop: AbortController; done: Promise<void> } | undefined;
  #wake = new AbortController();
  #renewedAt = 0;

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#loop) return;
    const stop = new AbortController();
    this.#loop = { stop, done: this.#run(stop.signal) };
  }

  /** Ends the runs that are going, says so on them, and takes no more. */
  async stop(): Promise<void> {
    const loop = this.#loop;
    if (!loop) return;
    loop.stop.abort();
    this.wake();
    await loop.done;
    this.#abortAll('stopping');
    await Promise.all([...this.#going.values()].map(({ done }) => done));
    this.#loop = undefined;
  }

  /** Looks at the queue at once. */
  wake(): void {
    this.#wake.abort();
  }

  /** Ends a run if this process executes it; another process sees the wish in the store. */
  cancel(runId: string): void {
    this.#going.get(runId)?.abort.abort('cancelled' satisfies AbortReason);
  }

  #abortAll(reason: AbortReason): void {
    for (const { abort } of this.#going.values()) abort.abort(reason);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#tick(signal);
      } catch (error) {
        // The database may be away for a moment: the loop is what brings the service back when it is there again.
        this.#options.logger.error({ err: error }, 'the queue of runs could not be read');
      }
      await sleep(tickMs, AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { queue, owner } = this.#options;
    if (Date.now() - this.#renewedAt > leaseMs / 3) {
      await queue.renewLeases(owner, leaseMs);
      this.#renewedAt = Date.now();
      await this.endLost(await queue.going('expired'), 'Its runs service stopped answering');
    }
    if (this.#going.size > 0) {
      const held = new Map((await queue.going({ owner })).map((run) => [run.id, run]));
      for (const [id, { abort }] of this.#going) {
        if (!held.has(id)) abort.abort('lost' satisfies AbortReason);
        else if (held.get(id)?.cancel_requested) this.cancel(id);
      }
    }
    while (!signal.aborted && this.#going.size < this.#options.concurrency) {
      if (!(await this.#startNext())) break;
    }
  }

  /** Runs that nobody executes any more. */
  async endLost(lost: readonly ServiceRun[], why: string): Promise<void> {
    for (const run of lost) {
      if (this.#going.has(run.id)) continue;
      await this.#finish(run, interrupted(why), run.lease_owner ?? '');
    }
  }

  async #startNext(): Promise<boolean> {
    const { queue, runs, owner, roomIn } = this.#options;
    const next = chooseNext(await queue.groups('QUEUED'), await queue.groups('INPROGRESS'), roomIn);
    if (!next) return false;
    const oldest = await queue.oldestQueued(next.creatorUid, next.environmentId);
    if (!oldest) return true;
    const nowMs = Date.now();
    const claimed = await runs.change(oldest.id, statesBefore('INPROGRESS'), {
      state: 'INPROGRESS',
      started_at: nowMs,
      lease: { owner, forMs: leaseMs },
    });
    if (claimed) this.#begin(claimed);
    return true;
  }

  #begin(run: ServiceRun): void {
    const abort = new AbortController();
    const done = this.#execute(run, abort.signal).finally(() => {
      this.#going.delete(run.id);
      this.wake();
    });
    this.#going.set(run.id, { abort, done });
  }

  async #execute(run: ServiceRun, signal: AbortSignal): Promise<void> {
    const { execute, logger, owner } = this.#options;
    try {
      logger.info({ runId: run.id, environmentId: run.environment_id }, 'run started');
      const end = await execute(run, signal);
      await this.#finish(run, end, owner);
      logger.info({ runId: run.id, state: end.state }, 'run ended');
    } catch (error) {
      // The run stays claimed; its lease runs out and the next look ends it honestly.
      logger.error({ err: error, runId: run.id }, 'the end of a run could not be written');
    }
  }

  async #finish(run: ServiceRun, end: RunEnd, owner: string): Promise<void> {
    const { runs } = this.#options;
    await runs.change(
      run.id,
      ['INPROGRESS'],
      {
        state: end.state,
        status_json: end.status ? JSON.stringify(end.status) : null,
        ended_at: Date.now(),
        lease: null,
      },
      owner,
    );
  }
}
