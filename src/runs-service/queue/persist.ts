import type { Logger } from '../../lib/logger.ts';
import { sleep } from '../../lib/sleep.ts';

const againMs = 1_000;

/**
 * Does what the store refuses while it is full or away, once a second until it is done. At least one try is made; when
 * `signal` aborts there is no further one, and nothing comes back.
 */
export async function persist<T>(
  work: () => Promise<T>,
  { signal, logger, runId }: { signal: AbortSignal; logger: Logger; runId: string },
): Promise<T | undefined> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      logger.error({ err: error, runId }, 'the store did not take what a run came to');
    }
    if (signal.aborted) return undefined;
    await sleep(againMs, signal);
  }
}
