import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import { readTransientFailure } from '../posting/slack-failure.ts';

/** Resources of the runs client that features use. */
export type Connected = Pick<RunsClient, 'runs' | 'artifacts' | 'environments' | 'agents'>;

/**
 * Returns the client of a connection. Call it before each request, because the key may have changed.
 * @throws RunsApiError `unauthorized` if the connection was removed
 */
export type Connect = (connectionId: string) => Promise<Connected>;

export const createConnect =
  (clients: { of(connectionId: string): Promise<RunsClient | undefined> }): Connect =>
  async (connectionId) => {
    const client = await clients.of(connectionId);
    if (client) return client;
    const message = 'this connection was removed';
    throw new RunsApiError({ code: 'unauthorized', message, sent: false });
  };

/** Reads a failed call to Slack or the runs service that may work later. Returns undefined for other errors. */
export function readPassingFailure(error: unknown) {
  if (!(error instanceof RunsApiError)) return readTransientFailure(error);
  const { code: reason, retryable, retryAfterMs = 0 } = error;
  // Retry after a rejected key, because someone can replace it.
  return retryable || reason === 'unauthorized' ? { reason, retryAfterMs } : undefined;
}
