/** Computes the delays between two polls of a run. */
import { jittered } from 'base/time/retry-delay';

const youngestPollMs = 1_000;
const oldestPollMs = 30_000;

/**
 * Returns the polling interval for runs of this age. It's a tenth of their age, between 1s and 30s, with 20% jitter.
 */
export function pollDelayMs(ageMs: number, random = Math.random()): number {
  return jittered(Math.min(oldestPollMs, Math.max(youngestPollMs, ageMs / 10)), random);
}

const soonestQuietLookMs = 60_000;
const latestQuietLookMs = 6 * 60 * 60_000;

/** Returns the delay before polling a run that sweeps don't report: half its age, between 1 min and 6 h. */
export function quietPollDelayMs(ageMs: number, random = Math.random()): number {
  return jittered(Math.min(latestQuietLookMs, Math.max(soonestQuietLookMs, ageMs / 2)), random);
}
