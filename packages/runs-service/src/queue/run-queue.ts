import { setMaxListeners } from 'node:events';
import { inSpan } from 'base/in-span';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { type AbortReason, endUpdate, environmentGone, type RunEnd } from '../execution/run-end.ts';
import type { ExecuteRun } from '../execution/run-executor.ts';
import type { ChooseGroup, RunGroup } from '../store/queued-runs.ts';
import type { RunUpdate } from '../store/run-changes.ts';
import { activeStates, type StoredRun } from '../store/runs.ts';
import type { Stores } from '../store/stores.ts';
import { ActiveRuns, chooseNext, isRemote } from './active-runs.ts';
import { afterLoss, canRestart, whyLost } from './lost-run.ts';
import { persist } from './persist.ts';

type RunQueueOptions = {
  stores: Stores;
  /** Name of this process in the store. */
  owner: string;
  /** Name of the last process in this data folder, if it crashed. */
  crashedOwner?: string | undefined;
  environments: () => readonly ServiceEnvironment[];
  concurrency: number;
  /**
   * Age at which a queued run fails if this service doesn't know its environment, in ms. Before that, another service
   * may claim the run.
   */
  strandedAfterMs: number;
  executeLocally: ExecuteRun;
  executeRemotely: ExecuteRemotely;
  /** Returns what to save at the end of a run. */
  endOf: (run: StoredRun, end: RunEnd) => Promise<RunUpdate>;
  onRunEnded?: OnRunEnded | undefined;
  logger: Logger;
};

/** Follows a remote run. Returns undefined if the run continues without this process. */
export type ExecuteRemotely = (
  run: StoredRun,
  ending: { canceled: AbortSignal; leaving: AbortSignal },
) => Promise<RunEnd | undefined>;

/** Called when a run ends that this process executed or followed. `waitedMs` is undefined for a restarted run. */
export type OnRunEnded = (run: {
  environmentId: string;
  state: RunEnd['state'];
  waitedMs: number | undefined;
  workedMs: number;
}) => void;

const tickMs = 1_000;
/** Duration of a lease, in ms. A run is lost if its process doesn't renew the lease within this time. */
const leaseMs = 30_000;
const renewEveryMs = leaseMs / 6;

/**
 * Claims queued runs from the store. Executes up to `concurrency` of them on this machine, and sends remote ones to a
 * runner.
 */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #active: ActiveRuns;
  readonly #loop = new Loop((signal) => this.#round(signal));
  /**
   * Loop that renews leases. It's separate, because on a busy machine a round of the other loop can last longer than a
   * lease.
   */
  readonly #renewals = new Loop(() => this.#renew());
  readonly #stopping = new AbortController();
  #settledAt = 0;
  #lastReadAt = Date.now();

  constructor(options: RunQueueOptions) {
    this.#options = options;
    this.#active = new ActiveRuns(options.concurrency, () => this.wake());
    // Raise the limit, because each run that waits for the database listens to this signal.
    setMaxListeners(0, this.#stopping.signal);
  }

  start(): void {
    this.#renewals.start();
    this.#loop.start();
  }

  /** Stops claiming runs. Ends the active local runs or returns them to the queue. Remote runs continue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await this.#active.leaveAll('stopping');
    await this.#renewals.stop();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Time when the queue was last read from the store, in ms since 1970. */
  get lastReadAt(): number {
    return this.#lastReadAt;
  }

  get activeRuns(): number {
    return this.#active.size;
  }

  /** Cancels a run if this process executes it. Other processes see the request in the store. */
  cancel(runId: string): void {
    this.#active.cancel(runId);
  }

  /** Takes over a remote run from another process, because this process has the run's files. */
  async take(runId: string): Promise<void> {
    await this.#active.whenLeft(runId);
    if (this.#active.has(runId) || this.#stopping.signal.aborted) return;
    const { stores, owner } = this.#options;
    const run = await stores.leases.adopt(runId, { owner, forMs: leaseMs }, { evenIfHeld: true });
    if (run && !this.#active.has(runId) && !this.#stopping.signal.aborted) this.#follow(run);
  }

  /**
   * Ends active local runs that no process executes. With `restart`, restarts those that allow it, up to the free
   * capacity, and follows remote runs again.
   */
  async settleLost({ restart }: { restart: boolean }): Promise<void> {
    const { stores, owner, crashedOwner } = this.#options;
    const { queueStore: queue, runs, leases } = stores;
    const expired = (await queue.listActive('expired')).filter(({ id }) => !this.#active.has(id));
    const remote = await this.#remoteIds(expired);
    for (const run of expired) {
      if (remote.has(run.id)) {
        if (restart) await this.#adopt(run);
        continue;
      }
      const why = whyLost(run, crashedOwner);
      const next = afterLoss(run, this.#environmentOf(run.environment_id), why);
      if (next !== 'restart') await runs.changeExpired(run.id, endUpdate(next));
      else if (restart && this.#active.hasRoom(false)) {
        const lease = { owner, forMs: leaseMs };
        const taken = await leases.takeOver(run, lease, `${why}. Restarting the run.`);
        if (taken) this.#start(taken, why);
      }
    }
  }

  async #round(signal: AbortSignal): Promise<number> {
    try {
      await this.#tick(signal);
      this.#lastReadAt = Date.now();
    } catch (error) {
      // Keep the loop running while the database is down.
      this.#options.logger.error({ err: error }, 'cannot read the queue of runs');
    }
    return tickMs;
  }

  async #renew(): Promise<number> {
    const { stores, owner, logger } = this.#options;
    try {
      await stores.queueStore.renewLeases(owner, leaseMs);
      return renewEveryMs;
    } catch (error) {
      logger.error({ err: error }, 'leases of runs not renewed; trying again');
      return tickMs;
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { stores, owner } = this.#options;
    const { queueStore: queue } = stores;
    if (Date.now() - this.#settledAt > leaseMs / 3) {
      await this.settleLost({ restart: true });
      this.#settledAt = Date.now();
    }
    if (this.#active.size > 0) await this.#syncWithStore();
    const choose: ChooseGroup = (queued, active) =>
      chooseNext(queued, active, (id) => this.#capacityOf(id));
    while (!signal.aborted && this.#hasRoom()) {
      const queued = await queue.groups(['QUEUED']);
      await this.#endStranded(queued);
      if (queued.length === 0 || !choose(queued, await queue.groups(activeStates))) break;
      const claimed = await queue.claim(choose, { owner, forMs: leaseMs });
      if (claimed) this.#start(claimed);
    }
  }

  /** Leaves runs that another process took over, and cancels those with a cancel request. */
  async #syncWithStore(): Promise<void> {
    const { stores, owner } = this.#options;
    const held = new Map((await stores.queueStore.held(owner)).map((run) => [run.id, run]));
    for (const [id] of this.#active.entries()) {
      if (!held.has(id)) this.#active.leave(id, 'lost');
      else if (held.get(id)?.cancel_requested) this.cancel(id);
    }
  }

  /** Fails old queued runs in environments that don't exist. */
  async #endStranded(queued: readonly RunGroup[]): Promise<void> {
    const { stores, environments, strandedAfterMs } = this.#options;
    const ids = environments().map(({ id }) => id);
    const wanted = new Set(queued.map(({ environmentId }) => environmentId));
    for (const id of [...wanted].filter((each) => !ids.includes(each))) {
      for (const run of await stores.queueStore.queuedIn(id, Date.now() - strandedAfterMs))
        await stores.runs.change(run.id, ['QUEUED'], endUpdate(environmentGone(id, ids)));
    }
  }

  #environmentOf(id: string): ServiceEnvironment | undefined {
    return this.#options.environments().find((environment) => environment.id === id);
  }

  /** Returns the max active runs of an environment. Returns 0 if this process has no room for its runs. */
  #capacityOf(id: string): number {
    const environment = this.#environmentOf(id);
    if (!environment) return 0;
    if (!this.#active.hasRoom(isRemote(environment))) return 0;
    return environment.concurrency ?? Number.POSITIVE_INFINITY;
  }

  #hasRoom(): boolean {
    const kinds = new Set(this.#options.environments().map(isRemote));
    return [...kinds].some((remote) => this.#active.hasRoom(remote));
  }

  async #remoteIds(runs: readonly StoredRun[]): Promise<Set<string>> {
    const dispatches = await this.#options.stores.dispatches.of(runs.map(({ id }) => id));
    // Also include runs in remote environments without a dispatch, because a process can crash before it stores the
    // dispatch.
    const others = runs.filter(({ environment_id: id }) => {
      const environment = this.#environmentOf(id);
      return environment && isRemote(environment);
    });
    return new Set([...dispatches.map(({ run_id: id }) => id), ...others.map(({ id }) => id)]);
  }

  /** Follows a remote run whose process stopped or crashed. */
  async #adopt({ id }: StoredRun): Promise<void> {
    const { stores, owner, logger } = this.#options;
    if (!this.#active.hasRoom(true)) return;
    const run = await stores.leases.adopt(id, { owner, forMs: leaseMs });
    if (!run) return;
    logger.info({ runId: id }, 'following a remote run');
    this.#follow(run);
  }

  #start(run: StoredRun, restartReason?: string): void {
    const environment = this.#environmentOf(run.environment_id);
    if (environment && isRemote(environment)) this.#follow(run);
    else
      this.#active.add(run.id, false, ({ abort }) =>
        this.#execute(run, abort.signal, restartReason),
      );
  }

  #follow(run: StoredRun): void {
    this.#active.add(run.id, true, async ({ abort, leave }) => {
      const ending = { canceled: abort.signal, leaving: leave.signal };
      const { stores, owner, executeRemotely } = this.#options;
      const beganAt = Date.now();
      const end = await executeRemotely(run, ending);
      if (end) await this.#end(run, end, { beganAt, isFirst: run.restarts === 0 });
      else await this.#persist(run, () => stores.leases.release(run.id, owner));
    });
  }

  async #execute(run: StoredRun, signal: AbortSignal, restartReason?: string): Promise<void> {
    const { executeLocally, logger, stores, owner } = this.#options;
    logger.info({ runId: run.id, environmentId: run.environment_id }, 'run started');
    const beganAt = Date.now();
    const end = await inSpan('run', { runId: run.id }, () =>
      executeLocally(run, signal, restartReason),
    );
    const isStopping = signal.reason === ('stopping' satisfies AbortReason);
    if (isStopping && canRestart(run, this.#environmentOf(run.environment_id)))
      await this.#persist(run, () =>
        stores.leases.handBack(run.id, owner, 'Returned to the queue'),
      );
    else await this.#end(run, end, { beganAt, isFirst: restartReason === undefined });
  }

  async #end(
    run: StoredRun,
    end: RunEnd,
    { beganAt, isFirst }: { beganAt: number; isFirst: boolean },
  ): Promise<void> {
    const { logger, onRunEnded } = this.#options;
    const waitedMs = isFirst ? beganAt - run.created_at : undefined;
    const workedMs = Date.now() - beganAt;
    onRunEnded?.({ environmentId: run.environment_id, state: end.state, waitedMs, workedMs });
    await this.#persist(run, () => this.#finish(run, end));
    logger.info({ runId: run.id, state: end.state }, 'run ended');
  }

  /** Saves with retries. If the service stops first, the run's lease expires, and the run is settled as lost. */
  async #persist(run: StoredRun, write: () => Promise<unknown>): Promise<void> {
    const { logger } = this.#options;
    await persist(write, { signal: this.#stopping.signal, logger, runId: run.id });
  }

  async #finish(run: StoredRun, end: RunEnd): Promise<void> {
    const { stores, owner, endOf } = this.#options;
    await stores.runs.change(run.id, activeStates, await endOf(run, end), owner);
  }
}
