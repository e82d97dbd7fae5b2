import type { Logger } from '../../lib/logger.ts';
import { sleep } from '../../lib/sleep.ts';

const retryMs = 1_000;

/**
 * Retries a write every second while the database is full or away. Tries at least once. Once `signal` aborts, it stops
 * and returns undefined.
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
