import { RunsApiError } from 'runs-client/runs-api-error';
import { readPassing } from '../../posting/slack-failure.ts';

/** A failed call to Slack or the runs service that may work later; undefined for any other error. */
export function readPassingFailure(error: unknown) {
  if (!(error instanceof RunsApiError)) return readPassing(error);
  const { code: reason, retryable, retryAfterMs = 0 } = error;
  // Someone may correct the key.
  return retryable || reason === 'unauthorized' ? { reason, retryAfterMs } : undefined;
}
