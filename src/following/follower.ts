import { randomUUID } from 'node:crypto';
import { Loop } from '../lib/loop.ts';
import { sleep } from '../lib/sleep.ts';
import type { Connection, Connections } from '../store/following/connections.ts';
import {
  type Finished,
  type Lease,
  LeaseLost,
  type RequestLeases,
} from '../store/requests/request-leases.ts';
import type { RunRequest } from '../store/requests/request-row.ts';
import { advance } from './advance.ts';
import { workspaceConnection } from './connection.ts';
import type { FollowingParts } from './parts.ts';
import { retryDelayMs } from './progress.ts';
import { sweepAndRelease } from './sweep.ts';
import type { SweepParts } from './sweep-parts.ts';
import { track } from './track.ts';

/** Work left by a killed process is taken over after this time. */
const leaseMs = 5_000;
/** Shorter, because nothing is known of any run until another replica takes over the sweep. */
const sweepLeaseMs = 2_500;
const renewEveryMs = 800;
const atOnce = 20;
const longestWaitMs = 2_000;
/** Requests that finish within this time are released together, and the next ones leased together. */
const batchMs = 20;

export type FollowerParts = FollowingParts &
  SweepParts & {
    leases: RequestLeases;
    connections: Connections;
    /** Resolves when no crowd of people waits for an answer. */
    yieldToRequests(signal: AbortSignal): Promise<void>;
  };

/**
 * The loop that carries every accepted request to its end. What to do next is in the store: requests and connections
 * that are due are leased, worked on, and released with their next due time. Any number of followers may share a store.
 * `wake()` ends the wait. See docs/decisions/001-what-to-do-next-is-a-leased-row.md.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #owner = randomUUID();
  readonly #working = new Set<Promise<void>>();
  /** A request is here twice if this process lost its lease and leased it again. */
  readonly #advancing = new Set<Lease>();
  #finished: Finished[] = [];
  readonly #sweeping = new Set<string>();
  readonly #loops = [
    new Loop((signal) => this.#round(signal)),
    new Loop(() => this.#keepLeases()),
  ] as const;
  #areSweepsAwake = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /** Aborts calls, releases all leases, and resolves when nothing runs any more. */
  async stop(): Promise<void> {
    const [rounds, leases] = this.#loops;
    await rounds.stop();
    await Promise.all(this.#working);
    await this.#release();
    await leases.stop();
  }

  wake(): void {
    this.#loops[0].wake();
  }

  async #round(signal: AbortSignal): Promise<number> {
    if (!this.#areSweepsAwake) this.#areSweepsAwake = await this.#wakeSweeps();
    if (this.#finished.length > 0) {
      await sleep(batchMs, signal);
      await this.#release();
    }
    return this.#tick(signal);
  }

  /** Sweeps at once after a start. */
  async #wakeSweeps(): Promise<boolean> {
    const { connections, logger } = this.#parts;
    try {
      await connections.wake(workspaceConnection, 0);
      return true;
    } catch (error) {
      logger.error({ err: error }, 'the store did not answer; trying again');
      return false;
    }
  }

  /** Starts work on what is due. Answers how long until something else may be. */
  async #tick(signal: AbortSignal): Promise<number> {
    const { leases, logger } = this.#parts;
    try {
      await this.#parts.yieldToRequests(signal);
      const sweepInMs = await this.#sweepIfDue(signal);
      const room = atOnce - this.#working.size;
      const requests = room > 0 ? await leases.claim(this.#owner, leaseMs, room) : [];
      for (const request of requests) this.#work(this.#advance(request, signal));
      if (this.#working.size >= atOnce) return longestWaitMs;
      const inMs = [await leases.nextDueInMs(), sweepInMs];
      return Math.max(0, Math.min(longestWaitMs, ...inMs.map((ms) => ms ?? longestWaitMs)));
    } catch (error) {
      logger.error({ err: error }, 'the store did not answer; trying again');
      return retryDelayMs(1);
    }
  }

  /** Answers how long until the next sweep may be due; undefined during one, because its end wakes the loop. */
  async #sweepIfDue(signal: AbortSignal): Promise<number | undefined> {
    const { connections } = this.#parts;
    if (this.#sweeping.size > 0) return undefined;
    const connection = await connections.claim(this.#owner, sweepLeaseMs);
    if (!connection) return connections.nextDueInMs();
    this.#work(this.#sweep(connection, signal));
    return undefined;
  }

  #work(done: Promise<void>): void {
    const work = done.finally(() => {
      this.#working.delete(work);
      this.wake();
    });
    this.#working.add(work);
  }

  async #advance(request: RunRequest, signal: AbortSignal): Promise<void> {
    const { leases, logger } = this.#parts;
    const tracked = track(leases, request);
    let dueAt: number | null = Date.now() + retryDelayMs(request.failures + 1);
    this.#advancing.add(request);
    try {
      dueAt = await advance(this.#parts, tracked, signal);
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.#advancing.delete(request);
        return;
      }
      logger.error({ err: error, requestId: request.id }, 'request not advanced; trying again');
    }
    this.#finished.push({ lease: request, changes: tracked.notes, dueAt });
  }

  /** If the store is down, the leases run out and the requests are due again. */
  async #release(): Promise<void> {
    const { leases, logger } = this.#parts;
    const finished = this.#finished;
    this.#finished = [];
    try {
      const lost = await leases.release(finished);
      if (lost.length > 0)
        logger.warn({ lost }, 'leases lost; other replicas continue these requests');
    } catch (error) {
      logger.error({ err: error }, 'requests not released');
    }
    for (const { lease } of finished) this.#advancing.delete(lease);
  }

  async #sweep(connection: Connection, signal: AbortSignal): Promise<void> {
    const { logger } = this.#parts;
    this.#sweeping.add(connection.id);
    try {
      await sweepAndRelease(this.#parts, connection, signal);
    } catch (error) {
      logger.error({ err: error }, 'not swept; trying again when the lease runs out');
    } finally {
      this.#sweeping.delete(connection.id);
    }
  }

  async #keepLeases(): Promise<number> {
    const { leases, connections, logger } = this.#parts;
    const ids = [...this.#advancing].map(({ id }) => id);
    await Promise.all([
      leases.renew(this.#owner, leaseMs, ids),
      connections.renew(this.#owner, sweepLeaseMs, [...this.#sweeping]),
    ]).catch((error: unknown) => logger.error({ err: error }, 'leases not renewed'));
    return renewEveryMs;
  }
}
