import { shownText } from 'base/secrets/mask-secrets';
import type { Promised, RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';

/** Calls to the runs API that the follower makes for a single request. */
export type FollowedRuns = Pick<
  Promised<RunsClient['runs']>,
  | 'create'
  | 'get'
  | 'cancel'
  | 'findCreated'
  | 'serviceNowMs'
  | 'publish'
  | 'changePullRequest'
  | 'answer'
  | 'followUp'
>;
export type AnnouncedRuns = Pick<RunsClient['runs'], 'events'>;
export type ListedRuns = Pick<RunsClient['runs'], 'list' | 'get' | 'serviceNowMs'>;

/** Max time of a call, in ms. It's longer than a slow answer takes. */
export const callTimeoutMs = 10_000;
/** Returns options for a call without immediate retries, because the follower repeats the call later. */
export const callOptions = (signal: AbortSignal) => ({
  signal,
  timeoutMs: callTimeoutMs,
  maxRetries: 0,
});

/** Failure of a call. `message` is for people: the service's explanation if it gave one, with secrets masked. */
export type CallFailure = {
  code: RunsApiError['code'];
  message: string;
  retryAfterMs: number;
  /** True if the same call may succeed a moment later. */
  isPassing: boolean;
};

/**
 * Reads the failure of a runs API call.
 * @throws any other error, because that is a bug and not an outage
 */
export function readFailure(error: unknown): CallFailure {
  if (!(error instanceof RunsApiError)) throw error;
  const message =
    error.problem?.detail ?? error.problem?.title ?? error.problem?.error ?? error.message;
  const { code, retryAfterMs = 0, retryable: isPassing } = error;
  return { code, message: shownText(message), retryAfterMs, isPassing };
}
