import { shownText } from 'base/secrets/mask-secrets';
import type { Promised, RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';

/** The calls of the follower to the runs API: for one request, and for all. */
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

/** A slow answer takes less. */
export const callTimeoutMs = 10_000;
/** Options of a call that is repeated later, not at once. */
export const callOptions = (signal: AbortSignal) => ({
  signal,
  timeoutMs: callTimeoutMs,
  maxRetries: 0,
});

/** `message` is for people: the service's own explanation if it gave one, with secrets masked. */
export type CallFailure = {
  code: RunsApiError['code'];
  message: string;
  retryAfterMs: number;
  /** The same call may succeed a moment later. */
  isPassing: boolean;
};

/** @throws everything that isn't an error of the runs API: a bug, not an outage */
export function readFailure(error: unknown): CallFailure {
  if (!(error instanceof RunsApiError)) throw error;
  const message =
    error.problem?.detail ?? error.problem?.title ?? error.problem?.error ?? error.message;
  const { code, retryAfterMs = 0, retryable: isPassing } = error;
  return { code, message: shownText(message), retryAfterMs, isPassing };
}
