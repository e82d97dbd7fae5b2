/** When the run of an attempt can have been created, although clocks differ and may be changed. */
import type { CreateAttempt } from '../create-attempt.ts';
import type { ServiceClock } from '../http/service-clock.ts';

/** Epoch milliseconds by the service's clock. */
export type CreationWindow = {
  likelyFromMs: number;
  /** An identical run that was created earlier belongs to another request. */
  earliestMs: number;
  /** How far back to list runs. */
  searchFromMs: number;
  /** Whether the service's clock is known. If not, an older run may match too. */
  isKnown: boolean;
};

/** A `Date` header has whole seconds, and the service's database may have another clock. */
const toleranceMs = 5_000;
/** By how much clocks may differ when the service's time isn't known. */
const unknownSkewMs = 5 * 60_000;
const largestSkewMs = 25 * 60 * 60_000;

export function readWindow(attempt: CreateAttempt, clock: ServiceClock): CreationWindow {
  const { notBeforeMs, notBeforeServiceMs } = attempt;
  const serviceMs = clock.nowMs();
  const byElapsed =
    serviceMs === undefined ? [] : [serviceMs - Math.max(0, Date.now() - notBeforeMs)];
  // The two differ if one of the clocks was changed since.
  const times = notBeforeServiceMs === undefined ? byElapsed : [notBeforeServiceMs, ...byElapsed];
  if (times.length === 0) {
    const earliestMs = notBeforeMs - unknownSkewMs;
    const searchFromMs = notBeforeMs - largestSkewMs;
    return { likelyFromMs: notBeforeMs, earliestMs, searchFromMs, isKnown: false };
  }
  const earliestMs = Math.min(...times) - toleranceMs;
  return { likelyFromMs: Math.max(...times), earliestMs, searchFromMs: earliestMs, isKnown: true };
}

/** Returns a function that says how long before this call the attempt was given up, by every known clock. */
export function startElapsed(attempt: CreateAttempt, clock: ServiceClock): () => number[] {
  const { requestId, lastSentMs, lastSentServiceMs } = attempt;
  const [startMs, startSteadyMs] = [Date.now(), performance.now()];
  const sinceSentMs = clock.sinceSentMs(requestId);
  return () => {
    const serviceMs = clock.nowMs();
    const isKnown = serviceMs !== undefined && lastSentServiceMs !== undefined;
    const sinceStartMs = performance.now() - startSteadyMs;
    return [
      startMs - lastSentMs,
      ...(sinceSentMs === undefined ? [] : [sinceSentMs]),
      ...(isKnown ? [serviceMs - sinceStartMs - lastSentServiceMs] : []),
    ];
  };
}

/** A clock that puts the attempt in the future was set back and doesn't count. */
export function isSettled(elapsedMs: readonly number[], settleMs: number): boolean {
  const possible = elapsedMs.filter((ms) => ms >= -toleranceMs);
  return possible.length > 0 && possible.every((ms) => ms >= settleMs);
}
