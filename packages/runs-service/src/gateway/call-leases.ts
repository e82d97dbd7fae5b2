import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { ModelCalls } from '../store/model-calls.ts';

/** Duration of a call's lease, in ms. A call is lost if its process doesn't renew the lease within this time. */
export const callLeaseMs = 60_000;
const renewEveryMs = callLeaseMs / 6;

/** Renews the leases of the calls that this process makes, and settles those of processes that are gone. */
export class CallLeases {
  /** IDs of the calls in progress. */
  readonly inProgress = new Set<string>();
  readonly #calls: Pick<ModelCalls, 'renew' | 'settleLost'>;
  readonly #owner: string;
  readonly #onEnded: (runId: string) => void;
  readonly #logger: Logger;
  readonly #loop = new Loop(() => this.#round());

  constructor(
    calls: Pick<ModelCalls, 'renew' | 'settleLost'>,
    owner: string,
    onEnded: (runId: string) => void,
    logger: Logger,
  ) {
    this.#calls = calls;
    this.#owner = owner;
    this.#onEnded = onEnded;
    this.#logger = logger;
  }

  /** @param crashedOwner process that has ended, so its calls are lost */
  start(crashedOwner: string | undefined): void {
    if (crashedOwner !== undefined) void this.#settleLost(crashedOwner);
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #round(): Promise<number> {
    try {
      await this.#calls.renew(this.#owner, [...this.inProgress], callLeaseMs);
    } catch (error) {
      this.#logger.warn({ err: error }, 'cannot renew the leases of model calls');
    }
    await this.#settleLost();
    return renewEveryMs;
  }

  async #settleLost(crashedOwner?: string): Promise<void> {
    try {
      for (const runId of await this.#calls.settleLost(crashedOwner)) this.#onEnded(runId);
    } catch (error) {
      this.#logger.warn({ err: error }, 'cannot settle lost model calls');
    }
  }
}
