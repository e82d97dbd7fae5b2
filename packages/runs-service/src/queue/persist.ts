import { isStoreUnavailable } from 'base/database/store-unavailable';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';

const retryMs = 1_000;

/**
 * Retries a write every second until it succeeds, for example while the database is full or down. Tries at least once.
 * Returns undefined if `signal` aborts before a write succeeds.
 */
export async function persist<T>(
  work: () => Promise<T>,
  { signal, logger, runId }: { signal: AbortSignal; logger: Logger; runId: string },
): Promise<T | undefined> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      logger.error({ err: error, runId }, 'cannot save the state of a run');
    }
    if (signal.aborted) return undefined;
    await sleep(retryMs, signal);
  }
}

/**
 * Retries `work` every second while the database is down, so `work` can run several times.
 * @throws the last error when `signal` aborts, and any error that isn't caused by an unavailable database
 */
export async function retryUntilDatabaseResponds<T>(
  work: () => Promise<T>,
  { signal, logger }: { signal: AbortSignal; logger: Logger },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isStoreUnavailable(error)) throw error;
      logger.warn({ err: error }, 'a run waits for the database');
    }
    await sleep(retryMs, signal);
  }
}
