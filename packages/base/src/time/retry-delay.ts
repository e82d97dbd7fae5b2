/** Returns the delay before a retry in ms: 1, 2, 4 … 60s, but never shorter than the requested `retryAfterMs`. */
export function retryDelayMs(failures: number, retryAfterMs = 0, random = Math.random()): number {
  const backoffMs = Math.min(60_000, 1_000 * 2 ** Math.max(0, failures - 1));
  return Math.max(retryAfterMs, jittered(backoffMs, random));
}

/** Adds 20% jitter, so that many clients don't retry at the same time. */
export const jittered = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random));
