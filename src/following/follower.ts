import { randomUUID } from 'node:crypto';
import type { Logger } from '../lib/logger.ts';
import { sleep } from '../lib/sleep.ts';
import type { RequestLeases } from '../store/request-leases.ts';
import type { RunRequest } from '../store/request-row.ts';
import { advance, type FollowingParts } from './advance.ts';
import { retryDelayMs } from './progress.ts';

/** Work left by a killed process is taken over after this time. */
const leaseMs = 5_000;
const atOnce = 20;
const longestWaitMs = 5_000;

export type FollowerParts = FollowingParts & { leases: RequestLeases };

/**
 * The one loop that carries every accepted request to its end. What to do next is in the store: a request that is
 * due is leased, advanced and released with its next due time. `wake()` ends the wait, for new requests.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #logger: Logger;
  readonly #owner = randomUUID();
  readonly #underWork = new Set<Promise<void>>();
  #stopping = new AbortController();
  #nap = new AbortController();
  #loops: Promise<void> | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#logger = parts.logger;
  }

  start(): void {
    if (this.#loops) return;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    this.#loops = Promise.all([this.#follow(signal), this.#keepLeases(signal)]).then(
      () => undefined,
    );
  }

  /** Ends calls under way, gives every request back, and resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#nap.abort();
    await this.#loops;
    await Promise.all(this.#underWork);
    this.#loops = undefined;
  }

  wake(): void {
    this.#nap.abort();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#nap = new AbortController();
      const waitMs = await this.#tick(signal);
      await sleep(waitMs, AbortSignal.any([signal, this.#nap.signal]));
    }
  }

  /** Starts work on what is due and answers how long nothing else will be. */
  async #tick(signal: AbortSignal): Promise<number> {
    const now = Date.now();
    try {
      const limit = atOnce - this.#underWork.size;
      const claim = { now, owner: this.#owner, leaseUntil: now + leaseMs, limit };
      const claimed = limit > 0 ? await this.#parts.leases.claim(claim) : [];
      for (const request of claimed) this.#work(request, signal);
      if (this.#underWork.size >= atOnce) return longestWaitMs;
      const nextDueAt = await this.#parts.leases.nextDueAt(now);
      return Math.min(
        longestWaitMs,
        Math.max(0, (nextDueAt ?? Number.POSITIVE_INFINITY) - Date.now()),
      );
    } catch (error) {
      this.#logger.error({ err: error }, 'the store did not answer; trying again');
      return retryDelayMs(1);
    }
  }

  #work(request: RunRequest, signal: AbortSignal): void {
    const work = this.#advanceAndRelease(request, signal).finally(() => {
      this.#underWork.delete(work);
      this.wake();
    });
    this.#underWork.add(work);
  }

  async #advanceAndRelease(request: RunRequest, signal: AbortSignal): Promise<void> {
    let dueAt: number | null = Date.now() + retryDelayMs(request.failures + 1);
    try {
      dueAt = await advance(this.#parts, request, signal);
    } catch (error) {
      this.#logger.error(
        { err: error, requestId: request.id },
        'request not advanced; trying again',
      );
    }
    // When the store itself is away the lease runs out by itself, and the request is due again.
    await this.#parts.leases
      .release(request.id, this.#owner, dueAt)
      .catch((error: unknown) =>
        this.#logger.error({ err: error, requestId: request.id }, 'not released'),
      );
  }

  async #keepLeases(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(leaseMs / 3, signal);
      if (this.#underWork.size === 0) continue;
      await this.#parts.leases
        .renew(this.#owner, Date.now() + leaseMs)
        .catch((error: unknown) => this.#logger.error({ err: error }, 'leases not renewed'));
    }
  }
}
