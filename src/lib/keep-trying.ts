import { sleep } from './sleep.ts';

export type KeepTryingOptions = {
  signal: AbortSignal;
  /** How long to wait before the next try, at least; undefined when waiting can't help. */
  leastWaitMs(error: unknown): number | undefined;
  /** Called for the first failure, and once a minute after that. */
  onWaiting(error: unknown): void;
  firstWaitMs?: number | undefined;
};

const longestWaitMs = 15_000;
const sayEveryMs = 60_000;

/**
 * Tries until it works, with exponential backoff: for what a start depends on and may be away for hours. A try that is
 * under way at the abort isn't waited for.
 * @returns undefined when the signal aborts first
 * @throws what waiting can't help
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  { signal, leastWaitMs, onWaiting, firstWaitMs = 500 }: KeepTryingOptions,
): Promise<T | undefined> {
  let saidAt = Number.NEGATIVE_INFINITY;
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, 2 * waitMs)) {
    try {
      return await unlessAborted(attempt(), signal);
    } catch (error) {
      const leastMs = leastWaitMs(error);
      if (leastMs === undefined) throw error;
      if (performance.now() - saidAt >= sayEveryMs) {
        onWaiting(error);
        saidAt = performance.now();
      }
      await sleep(Math.max(waitMs, leastMs), signal);
    }
  }
  return undefined;
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
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
