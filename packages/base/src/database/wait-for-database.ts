import type { Db } from '../../../../src/store/schema.ts';
import type { Logger } from '../logger.ts';
import { keepTrying } from '../time/keep-trying.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

type WaitParts = DatabaseOptions & {
  /** Ends the wait. */
  signal: AbortSignal;
  logger: Logger;
  firstWaitMs?: number;
  /** Opens it another way. */
  open?: (options: DatabaseOptions) => Promise<Db>;
};

/**
 * Opens the database, and waits for a PostgreSQL that can't be reached yet.
 * @returns undefined when `signal` aborts first
 */
export function waitForDatabase(
  url: string,
  { signal, logger, firstWaitMs, open, ...options }: WaitParts,
): Promise<Db | undefined> {
  const tryToOpen = async () => {
    const db = await (open?.(options) ?? openDatabase(url, options));
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
