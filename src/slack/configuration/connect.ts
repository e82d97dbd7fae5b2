import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import { readPassing } from '../posting/slack-failure.ts';

/** What features ask of a runs service. */
export type Connected = Pick<RunsClient, 'runs' | 'artifacts' | 'environments' | 'agents'>;

/**
 * The client of a connection, to be asked for before each call, because the key may have changed.
 * @throws RunsApiError `unauthorized` if the connection was removed
 */
export type Connect = (connectionId: string) => Promise<Connected>;

type Clients = { of(connectionId: string): Promise<RunsClient | undefined> };

export const createConnect =
  (clients: Clients): Connect =>
  async (connectionId) => {
    const client = await clients.of(connectionId);
    if (client) return client;
    const message = 'this connection was removed';
    throw new RunsApiError({ code: 'unauthorized', message, sent: false });
  };

/** A failed call to Slack or the runs service that may work later; undefined for any other error. */
export function readPassingFailure(error: unknown) {
  if (!(error instanceof RunsApiError)) return readPassing(error);
  const { code: reason, retryable, retryAfterMs = 0 } = error;
  // Someone may correct the key.
  return retryable || reason === 'unauthorized' ? { reason, retryAfterMs } : undefined;
}
