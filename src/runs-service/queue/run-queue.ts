import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { ServiceRunLeases } from '../../store/service/service-run-leases.ts';
import type {
  ChooseGroup,
  ServiceRunGroup,
  ServiceRunQueue,
} from '../../store/service/service-run-queue.ts';
import {
  activeStates,
  type ServiceRun,
  type ServiceRuns,
} from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { type AbortReason, endUpdate, environmentGone, type RunEnd } from '../execution/run-end.ts';
import type { ExecuteRun } from '../execution/run-executor.ts';
import { chooseNext } from './choose-next.ts';
import { afterLoss, mayRestart } from './lost-run.ts';
import { persist } from './persist.ts';

export type RunQueueOptions = {
  runs: ServiceRuns;
  queue: ServiceRunQueue;
  leases: ServiceRunLeases;
  execute: ExecuteRun;
  /** This process's name in the store. */
  owner: string;
  /** The name of the last process in this data folder, if it crashed. */
  crashedOwner?: string | undefined;
  concurrency: number;
  environments: () => readonly ServiceEnvironment[];
  /** When a queued run with an unknown environment fails. Another service may learn of the environment first. */
  strandedAfterMs: number;
  onRunEnded?: OnRunEnded | undefined;
  logger: Logger;
};

/** Called when this process has executed a run. `waitedMs` is undefined for a run that was started over. */
export type OnRunEnded = (run: {
  environmentId: string;
  state: RunEnd['state'];
  waitedMs: number | undefined;
  workedMs: number;
}) => void;

const tickMs = 1_000;
/** A run is lost when its process hasn't renewed the lease for so long. */
const leaseMs = 30_000;

/** Takes queued runs from the store and executes them, a few at a time. */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #active = new Map<string, { abort: AbortController; done: Promise<void> }>();
  readonly #loop = new Loop((signal) => this.#round(signal));
  readonly #stopping = new AbortController();
  #renewedAt = 0;
  #askedAt = Date.now();

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop.start();
  }

  /** Takes no more runs, and ends the active ones or returns them to the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    for (const { abort } of this.#active.values()) abort.abort('stopping' satisfies AbortReason);
    await Promise.all([...this.#active.values()].map(({ done }) => done));
  }

  wake(): void {
    this.#loop.wake();
  }

  /** When the store last answered what is queued (epoch milliseconds). */
  get askedAt(): number {
    return this.#askedAt;
  }

  get activeRuns(): number {
    return this.#active.size;
  }

  /** Ends a run if this process executes it. Another process sees the request in the store. */
  cancel(runId: string): void {
    this.#active.get(runId)?.abort.abort('canceled' satisfies AbortReason);
  }

  /** Ends active runs that no process executes. With `restart`, starts those over that may, while there is capacity. */
  async settleLost({ restart }: { restart: boolean }): Promise<void> {
    const { queue, runs, leases, owner, crashedOwner, concurrency } = this.#options;
    for (const run of await queue.going('expired')) {
      if (this.#active.has(run.id)) continue;
      const why = whyLost(run, crashedOwner);
      const next = afterLoss(run, this.#environmentOf(run.environment_id), why);
      if (next !== 'restart') await runs.changeExpired(run.id, endUpdate(next));
      else if (restart && this.#active.size < concurrency) {
        const lease = { owner, forMs: leaseMs };
        const taken = await leases.takeOver(run, lease, `${why}. Starting this run over.`);
        if (taken) this.#start(taken, why);
      }
    }
  }

  async #round(signal: AbortSignal): Promise<number> {
    try {
      await this.#tick(signal);
      this.#askedAt = Date.now();
    } catch (error) {
      // The loop has to survive a database that is away.
      this.#options.logger.error({ err: error }, 'cannot read the queue of runs');
    }
    return tickMs;
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { queue, owner, concurrency } = this.#options;
    if (Date.now() - this.#renewedAt > leaseMs / 3) {
      await queue.renewLeases(owner, leaseMs);
      this.#renewedAt = Date.now();
      await this.settleLost({ restart: true });
    }
    if (this.#active.size > 0) await this.#syncWithStore();
    const choose: ChooseGroup = (queued, active) =>
      chooseNext(queued, active, (id) => this.#capacityOf(id));
    while (!signal.aborted && this.#active.size < concurrency) {
      const queued = await queue.groups(['QUEUED']);
      await this.#endStranded(queued);
      if (queued.length === 0 || !choose(queued, await queue.groups(activeStates))) break;
      const claimed = await queue.claim(choose, { owner, forMs: leaseMs });
      if (claimed) this.#start(claimed);
    }
  }

  /** Drops runs that another process took over, and cancels those that someone asked to cancel. */
  async #syncWithStore(): Promise<void> {
    const { queue, owner } = this.#options;
    const held = new Map((await queue.held(owner)).map((run) => [run.id, run]));
    for (const [id, { abort }] of this.#active) {
      if (!held.has(id)) abort.abort('lost' satisfies AbortReason);
      else if (held.get(id)?.cancel_requested) this.cancel(id);
    }
  }

  /** Fails queued runs without an environment. */
  async #endStranded(queued: readonly ServiceRunGroup[]): Promise<void> {
    const { queue, runs, environments, strandedAfterMs } = this.#options;
    const ids = environments().map(({ id }) => id);
    const wanted = new Set(queued.map(({ environmentId }) => environmentId));
    for (const id of [...wanted].filter((each) => !ids.includes(each))) {
      for (const run of await queue.queuedIn(id, Date.now() - strandedAfterMs))
        await runs.change(run.id, ['QUEUED'], endUpdate(environmentGone(id, ids)));
    }
  }

  #environmentOf(id: string): ServiceEnvironment | undefined {
    return this.#options.environments().find((environment) => environment.id === id);
  }

  #capacityOf(id: string): number {
    const environment = this.#environmentOf(id);
    return environment ? (environment.concurrency ?? Number.POSITIVE_INFINITY) : 0;
  }

  #start(run: ServiceRun, restartReason?: string): void {
    const abort = new AbortController();
    const done = this.#execute(run, abort.signal, restartReason).finally(() => {
      this.#active.delete(run.id);
      this.wake();
    });
    this.#active.set(run.id, { abort, done });
  }

  async #execute(run: ServiceRun, signal: AbortSignal, restartReason?: string): Promise<void> {
    const { execute, logger, leases, owner, onRunEnded } = this.#options;
    const environmentId = run.environment_id;
    logger.info({ runId: run.id, environmentId }, 'run started');
    const startedAt = Date.now();
    const waitedMs = restartReason === undefined ? startedAt - run.created_at : undefined;
    const end = await execute(run, signal, restartReason);
    const workedMs = Date.now() - startedAt;
    onRunEnded?.({ environmentId, state: end.state, waitedMs, workedMs });
    const isStopping = signal.reason === ('stopping' satisfies AbortReason);
    if (isStopping && mayRestart(run, this.#environmentOf(run.environment_id)))
      await this.#persist(run, () => leases.handBack(run.id, owner, 'Returned to the queue'));
    else await this.#persist(run, () => this.#finish(run, end));
    logger.info({ runId: run.id, state: end.state }, 'run ended');
  }

  /** If it fails, the run stays claimed until its lease expires; then it's settled as lost. */
  async #persist(run: ServiceRun, write: () => Promise<unknown>): Promise<void> {
    const { logger } = this.#options;
    await persist(write, { signal: this.#stopping.signal, logger, runId: run.id });
  }

  async #finish(run: ServiceRun, end: RunEnd): Promise<void> {
    const { runs, owner } = this.#options;
    await runs.change(run.id, activeStates, endUpdate(end), owner);
  }
}

function whyLost(run: ServiceRun, crashedOwner: string | undefined): string {
  if (run.lease_owner === null) return 'The runs service was stopped';
  return run.lease_owner === crashedOwner
    ? 'The runs service was restarted'
    : 'The runs service stopped responding';
}
