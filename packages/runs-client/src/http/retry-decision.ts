import type { RunsApiError } from '../runs-api-error.ts';

type Attempt = {
  error: RunsApiError;
  /** Number of times that the request was sent, including the failed attempt. */
  attempts: number;
  maxRetries: number;
  /** True if the request is safe to send twice. */
  repeatable: boolean;
  /** Time until the deadline of the whole call, in ms. */
  remainingMs: number;
  /** Random number from 0 to 1. */
  random: number;
};

type RetryDecision = { retry: true; delayMs: number } | { retry: false };

const no: RetryDecision = { retry: false };
const baseDelayMs = 500;
const longestDelayMs = 8_000;
/** Longest wait before a retry, in ms. If the service requests more, the caller gets the error with `retryAfterMs`. */
const longestObeyedMs = 60_000;

/** Decides whether to retry a failed attempt. The first rule that applies decides. */
export function decideRetry(attempt: Attempt): RetryDecision {
  const { error, attempts, remainingMs } = attempt;
  if (attempts > attempt.maxRetries) return no;
  if (!error.retryable) return no;
  if (!attempt.repeatable && !hasDoneNothing(error)) return no;
  const delayMs = chooseDelayMs(attempt);
  if (delayMs > longestObeyedMs) return no;
  if (delayMs >= remainingMs) return no;
  return { retry: true, delayMs };
}

/** Returns true if the service certainly did nothing. The request was never sent, or was rejected with a 3xx or 4xx. */
export function hasDoneNothing(error: RunsApiError): boolean {
  if (!error.sent) return true;
  return error.status !== undefined && error.status >= 300 && error.status < 500;
}

/**
 * Returns the delay that the service requests, or an exponential one with full jitter. The jitter keeps clients from
 * retrying at the same time.
 */
function chooseDelayMs({ error, attempts, random }: Attempt): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  return random * Math.min(longestDelayMs, baseDelayMs * 2 ** (attempts - 1));
}
