import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entryLimit } from './entry-limit.ts';
import type { Logger } from './logger.ts';
import { sleep } from './sleep.ts';
import { Loop } from './time/loop.ts';
import { retryDelayMs } from './time/retry-delay.ts';

/** Identifies the lease that a write belongs to. The version grows with every lease of a row. */
export type Lease = { id: string; version: number };

/** Thrown when another replica has leased the row. This replica then stops its work on the row. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Time of the next work in epoch ms, or null if there is none. */
export type DueAt = number | null;

export const sooner = (one: DueAt, other: DueAt): DueAt =>
  one === null ? other : Math.min(one, other ?? one);

/** Time in ms during which a lease that was just confirmed isn't checked again. Much shorter than a lease. */
const freshMs = 1_000;

/**
 * Records the start of something that must not happen twice. After a slow write, checks the lease again, because this
 * process may have been frozen meanwhile.
 */
export async function writeBeginning(
  write: () => Promise<void>,
  check: () => Promise<void>,
): Promise<void> {
  const beganAt = Date.now();
  await write();
  if (Date.now() - beganAt > freshMs) await check();
}

/** Lease to release, with the changes to write at the same time and the row's next due time. */
export type Finished<Changes> = { lease: Lease; changes: Changes; dueAt: DueAt };

/** Called for a leased row that can't be read, because it's damaged or another version wrote it. */
export type OnUnreadable = (lease: Lease, error: unknown) => void;

export type Leases<Row extends Lease, Changes> = {
  /** Leases due rows, starting with those that people wait for. Returns the readable ones. */
  claim(owner: string, leaseMs: number, limit: number, onUnreadable?: OnUnreadable): Promise<Row[]>;
  renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void>;
  /**
   * Ends leases and writes the changes.
   * @returns IDs of rows whose lease was lost; nothing is written for them
   */
  release(finished: readonly Finished<Changes>[]): Promise<string[]>;
  /**
   * Returns the time until `claim` finds a row, in ms; undefined if none is expected. Must not write, because it's
   * called in every round.
   */
  nextDueInMs(): Promise<number | undefined>;
};

/** Work on one leased row. */
export type Task<Changes> = {
  /**
   * Works on the row.
   * @returns the row's next due time
   * @throws LeaseLost
   */
  run(signal: AbortSignal): Promise<DueAt>;
  /** Returns the changes to write when the lease is released, even after an error. */
  changes(): Changes;
};

/** Result of work on a row: `done`, `failed` (repeated later) or `lost` (to another replica). */
export type LeasedWorkReport = { what: string; outcome: 'done' | 'failed' | 'lost'; ms: number };

type LeasedWorkDeps<Row extends Lease, Changes> = {
  /** Name of the work in the log. */
  what: string;
  leases: Leases<Row, Changes>;
  /** Runs once, before anything is leased. Repeated after an error. */
  atStart?(): Promise<void>;
  task(row: Row): Task<Changes>;
  /** Max number of rows in work at once. */
  atOnce: number;
  /** Duration of a lease, in ms. After this time, another process takes over the rows of one that was killed. */
  leaseMs: number;
  /** Interval of asking the store for rows that another process left behind, in ms. Default: 2s. */
  askEveryMs?: number;
  onWork?: ((work: LeasedWorkReport) => void) | undefined;
  /** Called after each round in which rows were released. */
  afterRelease?(): void;
  logger: Logger;
};

const usuallyAskEveryMs = 2_000;
const unreadableMs = 60_000;
/**
 * Time to wait before releasing finished rows, in ms. Rows that finish meanwhile are released in the same statement.
 */
const batchMs = 20;

/**
 * Runs all background work in a loop. Leases due rows, works on several at once, and releases each with its next due
 * time. The next step is always in the store, so any number of processes can share it, and a killed one loses nothing.
 * `wake()` starts the next round now. See docs/decisions/001-what-to-do-next-is-a-leased-row.md.
 */
export class LeasedWork<Row extends Lease & { failures: number }, Changes> {
  readonly #parts: LeasedWorkDeps<Row, Changes>;
  readonly #owner = randomUUID();
  readonly #working = new Set<Promise<void>>();
  /** Leases that this process holds. A row is listed twice if its lease was lost and the row leased again. */
  readonly #leased = new Set<Lease>();
  /** Number of unexpected errors, by row ID. */
  readonly #failures = new LRUCache<string, number>(entryLimit(10_000));
  #finished: Finished<Changes>[] = [];
  #askedAt = Date.now();
  #hasStarted = false;
  readonly #rounds = new Loop((signal) => this.#round(signal));
  readonly #renewals = new Loop((signal) => this.#renew(signal));

  constructor(parts: LeasedWorkDeps<Row, Changes>) {
    this.#parts = parts;
  }

  start(): void {
    this.#rounds.start();
    this.#renewals.start();
  }

  /** Aborts all work, releases all leases, and resolves when nothing is running anymore. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await Promise.all(this.#working);
    await this.#release();
    await this.#renewals.stop();
  }

  wake(): void {
    this.#rounds.wake();
  }

  /** Time at which the store last answered what is due, in epoch ms. */
  get askedAt(): number {
    return this.#askedAt;
  }

  /** Name of this process in the `lease_owner` column of its rows. */
  get owner(): string {
    return this.#owner;
  }

  /** Starts work on a row that was stored with a lease of this process. */
  adopt(row: Row, work: Task<Changes>): void {
    this.#begin(row, work, new AbortController().signal);
  }

  /** Runs one round. Returns the time until something may be due, in ms. */
  async #round(signal: AbortSignal): Promise<number> {
    if (this.#finished.length > 0) {
      await sleep(batchMs, signal);
      await this.#release();
    }
    try {
      if (!this.#hasStarted) await this.#parts.atStart?.();
      this.#hasStarted = true;
      let inMs = await this.#nextInMs();
      if (inMs <= 0) {
        await this.#claim(signal);
        inMs = await this.#nextInMs();
      }
      this.#askedAt = Date.now();
      return inMs;
    } catch (error) {
      this.#parts.logger.error({ err: error }, 'the store did not answer; trying again');
      return retryDelayMs(1);
    }
  }

  /**
   * Returns the time until something may be leasable, in ms. Writes nothing, so that an idle process needs no flush to
   * disk.
   */
  async #nextInMs(): Promise<number> {
    const { atOnce, leases, askEveryMs = usuallyAskEveryMs } = this.#parts;
    // Return the usual interval if there's no room for more work. The end of any work wakes the loop.
    if (this.#working.size >= atOnce) return askEveryMs;
    const inMs = (await leases.nextDueInMs()) ?? askEveryMs;
    return Math.max(0, Math.min(askEveryMs, inMs));
  }

  async #claim(signal: AbortSignal): Promise<void> {
    const { leases, leaseMs, atOnce, task } = this.#parts;
    // Count the room again, because work may have been adopted since the last check.
    const room = atOnce - this.#working.size;
    if (room <= 0) return;
    const putOff: OnUnreadable = (lease, error) => this.#putOff(lease, error);
    const rows = await leases.claim(this.#owner, leaseMs, room, putOff);
    for (const row of rows) this.#begin(row, task(row), signal);
  }

  /** Postpones a row that can't be read, so that the others are worked on. A newer version may read it. */
  #putOff({ id, version }: Lease, error: unknown): void {
    const { what, logger } = this.#parts;
    logger.error({ err: error, what, id }, "a row can't be read; trying again in a minute");
    const lease = { id, version };
    this.#finished.push({ lease, changes: {} as Changes, dueAt: Date.now() + unreadableMs });
    this.wake();
  }

  #begin(row: Row, work: Task<Changes>, signal: AbortSignal): void {
    const working = this.#work(row, work, signal).finally(() => {
      this.#working.delete(working);
      this.wake();
    });
    this.#working.add(working);
  }

  async #work(row: Row, work: Task<Changes>, signal: AbortSignal): Promise<void> {
    const { what, logger, onWork } = this.#parts;
    const failures = Math.max(row.failures, this.#failures.get(row.id) ?? 0) + 1;
    let dueAt: DueAt = Date.now() + retryDelayMs(failures);
    if (this.#leased.size === 0) this.#renewals.wake();
    this.#leased.add(row);
    const beganAt = performance.now();
    const report = (outcome: 'done' | 'failed' | 'lost') =>
      onWork?.({ what, outcome, ms: performance.now() - beganAt });
    try {
      dueAt = await work.run(signal);
      this.#failures.delete(row.id);
      report('done');
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.#leased.delete(row);
        report('lost');
        return;
      }
      report('failed');
      this.#failures.set(row.id, failures);
      logger.error({ err: error, what, id: row.id }, 'background work failed; trying again');
    }
    this.#finished.push({ lease: row, changes: work.changes(), dueAt });
  }

  /** Releases finished rows. If the store is down, their leases expire, and the rows are then due again. */
  async #release(): Promise<void> {
    const { what, leases, logger, afterRelease } = this.#parts;
    const finished = this.#finished;
    this.#finished = [];
    if (finished.length === 0) return;
    try {
      const lost = await leases.release(finished);
      if (lost.length > 0)
        logger.warn({ what, lost }, 'leases lost; other replicas continue the work');
    } catch (error) {
      logger.error({ err: error, what }, 'leases not released');
    }
    for (const { lease } of finished) this.#leased.delete(lease);
    afterRelease?.();
  }

  /** Renews leases until none is held. Returns the time until the next check, in ms. */
  async #renew(signal: AbortSignal): Promise<number> {
    const { what, leases, leaseMs, logger } = this.#parts;
    while (this.#leased.size > 0) {
      await sleep(leaseMs / renewalsPerLease, signal);
      if (signal.aborted) break;
      const ids = [...this.#leased].map(({ id }) => id);
      await leases
        .renew(this.#owner, leaseMs, ids)
        .catch((error: unknown) => logger.error({ err: error, what }, 'leases not renewed'));
    }
    return idleMs;
  }
}

/** Number of renewals during one lease. The lease survives if some of them are late or fail. */
const renewalsPerLease = 3;
/** Wait while nothing is leased, in ms. The next lease ends the wait. */
const idleMs = 60 * 60_000;
