import type { Logger } from '../logger.ts';
import { keepTrying } from '../time/keep-trying.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

/**
 * Opens a database, and waits while PostgreSQL can't be reached.
 * @param signal ends the wait
 * @returns undefined when `signal` aborts first
 */
export function waitForDatabase<Db extends { destroy(): Promise<void> }>(
  open: () => Promise<Db>,
  { signal, logger, firstWaitMs }: { signal: AbortSignal; logger: Logger; firstWaitMs?: number },
): Promise<Db | undefined> {
  const tryToOpen = async () => {
    const db = await open();
    if (signal.aborted) await db.destroy();
    return db;
  };
  return keepTrying(tryToOpen, {
    signal,
    firstWaitMs,
    leastWaitMs: (error) => (isStoreUnavailable(causeOf(error)) ? 0 : undefined),
    onWaiting: (error) =>
      logger.warn({ reason: String(causeOf(error)) }, "PostgreSQL can't be reached; trying again"),
  });
}

const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined);
