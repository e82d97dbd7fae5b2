import { keepTrying } from '../../lib/keep-trying.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Db } from '../schema.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

type WaitParts = DatabaseOptions & {
  /** Ends the wait. */
  signal: AbortSignal;
  logger: Logger;
  firstWaitMs?: number;
};

/**
 * Opens the database, and waits for a PostgreSQL that can't be reached yet.
 * @returns undefined when `signal` aborts first
 */
export function waitForDatabase(
  url: string,
  { signal, logger, firstWaitMs, ...options }: WaitParts,
): Promise<Db | undefined> {
  const open = async () => {
    const db = await openDatabase(url, options);
    if (signal.aborted) await db.destroy();
    return db;
  };
  return keepTrying(open, {
    signal,
    firstWaitMs,
    leastWaitMs: (error) => (isStoreUnavailable(causeOf(error)) ? 0 : undefined),
    onWaiting: (error) =>
      logger.warn({ reason: String(causeOf(error)) }, "PostgreSQL can't be reached; trying again"),
  });
}

const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined);
