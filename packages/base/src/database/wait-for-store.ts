import type { Logger } from '../logger.ts';
import { keepTrying } from '../time/keep-trying.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

type Waiting = { signal: AbortSignal; logger: Logger; firstWaitMs?: number | undefined };

/**
 * Runs database work at startup, and repeats it while the database can't be reached.
 * @param work work that is safe to repeat
 * @returns undefined when `signal` aborts first
 */
export const waitForStore = <T>(work: () => Promise<T>, waiting: Waiting): Promise<T | undefined> =>
  keepTrying(work, {
    signal: waiting.signal,
    firstWaitMs: waiting.firstWaitMs,
    leastWaitMs: (error) => (isStoreUnavailable(error) ? 0 : undefined),
    onWaiting: (error) =>
      waiting.logger.warn({ reason: String(error) }, "The database can't be reached; trying again"),
  });
