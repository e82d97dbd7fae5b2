import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';

/** What following asks of the runs API: for one request, and for all. */
export type FollowedRuns = Pick<
  RunsClient['runs'],
  'create' | 'get' | 'cancel' | 'findCreated' | 'serviceNowMs'
>;
export type ListedRuns = Pick<RunsClient['runs'], 'list' | 'get' | 'serviceNowMs'>;

/** Well below a lease's patience with a dead process, well above a slow answer. */
export const callTimeoutMs = 10_000;

/** What a person is told: the service's own explanation where it gave one. */
export type CallFailure = {
  code: RunsApiError['code'];
  message: string;
  retryAfterMs: number;
  /** The same call may succeed a moment later. */
  isPassing: boolean;
};

/** @throws anything that is not an error of the runs API: that is a bug, not an outage */
export function readFailure(error: unknown): CallFailure {
  if (!(error instanceof RunsApiError)) throw error;
  const message =
    error.problem?.detail ?? error.problem?.title ?? error.problem?.error ?? error.message;
  const { code, retryAfterMs = 0, retryable: isPassing } = error;
  return { code, message, retryAfterMs, isPassing };
}
