import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { ServiceRunLeases } from '../../store/service/service-run-leases.ts';
import type {
  ChooseGroup,
  ServiceRunGroup,
  ServiceRunQueue,
} from '../../store/service/service-run-queue.ts';
import type { ServiceRun, ServiceRuns } from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { type AbortReason, endUpdate, environmentGone, type RunEnd } from '../execution/run-end.ts';
import type { ExecuteRun } from '../execution/run-executor.ts';
import { chooseNext } from './choose-next.ts';
import { afterLoss, mayBeginAgain } from './lost-run.ts';
import { persist } from './persist.ts';

export type RunQueueOptions = {
  runs: ServiceRuns;
  queue: ServiceRunQueue;
  leases: ServiceRunLeases;
  execute: ExecuteRun;
  /** Names this process in the store. */
  owner: string;
  /** The process that used this data folder before and did not end properly. */
  crashedOwner?: string | undefined;
  concurrency: number;
  environments: () => readonly ServiceEnvironment[];
  /** A waiting run whose environment is unknown is ended when it is older; another service may know it sooner. */
  strandedAfterMs: number;
  logger: Logger;
};

const tickMs = 1_000;
/** A run whose process gave no sign of life for this long is taken for dead. */
const leaseMs = 30_000;

/** Takes queued runs from the store and executes them, a few at a time. */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #going = new Map<string, { abort: AbortController; done: Promise<void> }>();
  readonly #loop = new Loop((signal) => this.#round(signal));
  readonly #stopping = new AbortController();
  #renewedAt = 0;

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#loop.start();
  }

  /** Ends the runs that are going, says so on them or hands them back, and takes no more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    for (const { abort } of this.#going.values()) abort.abort('stopping' satisfies AbortReason);
    await Promise.all([...this.#going.values()].map(({ done }) => done));
  }

  /** Looks at the queue at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** Ends a run if this process executes it; another process sees the wish in the store. */
  cancel(runId: string): void {
    this.#going.get(runId)?.abort.abort('cancelled' satisfies AbortReason);
  }

  /** Ends the runs that nobody executes any more, or begins them anew as far as there is room. */
  async settleLost({ begin }: { begin: boolean }): Promise<void> {
    const { queue, runs, leases, owner, crashedOwner, concurrency } = this.#options;
    for (const run of await queue.going('expired')) {
      if (this.#going.has(run.id)) continue;
      const why = lossOf(run, crashedOwner);
      const next = afterLoss(run, this.#environmentOf(run.environment_id), why);
      if (next !== 'begin-again') await runs.changeExpired(run.id, endUpdate(next));
      else if (begin && this.#going.size < concurrency) {
        const lease = { owner, forMs: leaseMs };
        const taken = await leases.takeOver(run, lease, `${why}; the run begins anew`);
        if (taken) this.#begin(taken, why);
      }
    }
  }

  async #round(signal: AbortSignal): Promise<number> {
    try {
      await this.#tick(signal);
    } catch (error) {
      // The database may be away for a moment: the loop is what brings the service back when it is there again.
      this.#options.logger.error({ err: error }, 'the queue of runs could not be read');
    }
    return tickMs;
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { queue, owner, concurrency } = this.#options;
    if (Date.now() - this.#renewedAt > leaseMs / 3) {
      await queue.renewLeases(owner, leaseMs);
      this.#renewedAt = Date.now();
      await this.settleLost({ begin: true });
    }
    if (this.#going.size > 0) await this.#heedTheStore();
    const choose: ChooseGroup = (queued, going) =>
      chooseNext(queued, going, (id) => this.#roomIn(id));
    while (!signal.aborted && this.#going.size < concurrency) {
      const queued = await queue.groups('QUEUED');
      await this.#endStranded(queued);
      if (queued.length === 0 || !choose(queued, await queue.groups('INPROGRESS'))) break;
      const claimed = await queue.claim(choose, { owner, forMs: leaseMs });
      if (claimed) this.#begin(claimed);
    }
  }

  /** Runs that another process has taken over are let go, runs that somebody wants cancelled are ended. */
  async #heedTheStore(): Promise<void> {
    const { queue, owner } = this.#options;
    const held = new Map((await queue.going({ owner })).map((run) => [run.id, run]));
    for (const [id, { abort }] of this.#going) {
      if (!held.has(id)) abort.abort('lost' satisfies AbortReason);
      else if (held.get(id)?.cancel_requested) this.cancel(id);
    }
  }

  /** Waiting runs whose environment was taken away can never start: they say so, and what there is instead. */
  async #endStranded(queued: readonly ServiceRunGroup[]): Promise<void> {
    const { queue, runs, environments, strandedAfterMs } = this.#options;
    const ids = environments().map(({ id }) => id);
    const gone = new Set(queued.map(({ environmentId }) => environmentId));
    for (const id of [...gone].filter((each) => !ids.includes(each))) {
      for (const run of await queue.queuedIn(id, Date.now() - strandedAfterMs))
        await runs.change(run.id, ['QUEUED'], endUpdate(environmentGone(id, ids)));
    }
  }

  #environmentOf(id: string): ServiceEnvironment | undefined {
    return this.#options.environments().find((environment) => environment.id === id);
  }

  #roomIn(id: string): number {
    const environment = this.#environmentOf(id);
    return environment ? (environment.concurrency ?? Number.POSITIVE_INFINITY) : 0;
  }

  #begin(run: ServiceRun, beganAgain?: string): void {
    const abort = new AbortController();
    const done = this.#execute(run, abort.signal, beganAgain).finally(() => {
      this.#going.delete(run.id);
      this.wake();
    });
    this.#going.set(run.id, { abort, done });
  }

  async #execute(run: ServiceRun, signal: AbortSignal, beganAgain?: string): Promise<void> {
    const { execute, logger, leases, owner } = this.#options;
    logger.info({ runId: run.id, environmentId: run.environment_id }, 'run started');
    const end = await execute(run, signal, beganAgain);
    const stopped = signal.reason === ('stopping' satisfies AbortReason);
    if (stopped && mayBeginAgain(run, this.#environmentOf(run.environment_id)))
      await this.#write(run, () => leases.handBack(run.id, owner, 'Handed back to the queue'));
    else await this.#write(run, () => this.#finish(run, end));
    logger.info({ runId: run.id, state: end.state }, 'run ended');
  }

  /** Without it the run stays claimed; when its lease has run out, the next look ends it. */
  async #write(run: ServiceRun, write: () => Promise<unknown>): Promise<void> {
    const { logger } = this.#options;
    await persist(write, { signal: this.#stopping.signal, logger, runId: run.id });
  }

  async #finish(run: ServiceRun, end: RunEnd): Promise<void> {
    const { runs, owner } = this.#options;
    await runs.change(run.id, ['INPROGRESS'], endUpdate(end), owner);
  }
}

function lossOf(run: ServiceRun, crashedOwner: string | undefined): string {
  if (run.lease_owner === null) return 'The runs service was stopped';
  return run.lease_owner === crashedOwner
    ? 'The runs service was restarted'
    : 'Its runs service stopped answering';
}
