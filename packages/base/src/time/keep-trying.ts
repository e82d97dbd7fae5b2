import { sleep } from '../sleep.ts';

type KeepTryingOptions = {
  signal: AbortSignal;
  /** Returns the shortest wait before the next attempt, in ms. Returns undefined if waiting can't help. */
  leastWaitMs(error: unknown): number | undefined;
  /** Called at the first failure, and once a minute after that. */
  onWaiting(error: unknown): void;
  firstWaitMs?: number | undefined;
};

const longestWaitMs = 15_000;
const reportEveryMs = 60_000;

/**
 * Retries work with exponential backoff until it succeeds. Meant for dependencies at startup, which may be down for
 * hours.
 * @returns undefined when the signal aborts first, without waiting for a pending attempt
 * @throws an error that waiting can't fix
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  { signal, leastWaitMs, onWaiting, firstWaitMs = 500 }: KeepTryingOptions,
): Promise<T | undefined> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, 2 * waitMs)) {
    try {
      return await unlessAborted(attempt(), signal);
    } catch (error) {
      const leastMs = leastWaitMs(error);
      if (leastMs === undefined) throw error;
      if (performance.now() - reportedAt >= reportEveryMs) {
        onWaiting(error);
        reportedAt = performance.now();
      }
      await sleep(Math.max(waitMs, leastMs), signal);
    }
  }
  return undefined;
}

/** Returns the result of `work`, or undefined once the signal aborts. The work itself isn't aborted. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  let end = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
