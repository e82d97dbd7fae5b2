import type { RunsApiError } from '../runs-api-error.ts';

type Attempt = {
  error: RunsApiError;
  /** Number of times that the request was sent, including this failure. */
  attempts: number;
  maxRetries: number;
  /** True if it's safe to send twice. */
  repeatable: boolean;
  /** Time until the deadline of the whole call. */
  remainingMs: number;
  /** Random number from 0 to 1. */
  random: number;
};

type RetryDecision = { retry: true; delayMs: number } | { retry: false };

const no: RetryDecision = { retry: false };
const baseDelayMs = 500;
const longestDelayMs = 8_000;
/** Longest wait. If the service asks for more, the caller gets the error, with `retryAfterMs`. */
const longestObeyedMs = 60_000;

/** The first rule that applies decides. */
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

/** Proof that the service did nothing: the request never left, or was refused with a 3xx or 4xx. */
export function hasDoneNothing(error: RunsApiError): boolean {
  if (!error.sent) return true;
  return error.status !== undefined && error.status >= 300 && error.status < 500;
}

/** The service's own delay, or an exponential one with full jitter, so that clients don't return all at once. */
function chooseDelayMs({ error, attempts, random }: Attempt): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  return random * Math.min(longestDelayMs, baseDelayMs * 2 ** (attempts - 1));
}
