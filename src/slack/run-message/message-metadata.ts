import type { WebClient } from '@slack/web-api';
import type { RunRequest } from '../../store/request-row.ts';
import { readSlackTrouble } from '../slack-trouble.ts';

const eventType = 'slash_agent_run';

/** Slack has no idempotency key for posts; this marks a message as the one of its request. */
export function messageMetadata(request: RunRequest) {
  return { event_type: eventType, event_payload: { request_id: request.id } };
}

/** Clocks differ: history is read from a little before the request was accepted. */
const clockSkewMs = 60_000;

/**
 * Looks for the request's message in a channel's history since it was accepted.
 * @returns its `ts`; undefined when it is not there or the channel cannot be read
 */
export async function findRunMessage(
  client: WebClient,
  channelId: string,
  request: RunRequest,
): Promise<string | undefined> {
  const oldest = String(Math.floor((request.acceptedAt - clockSkewMs) / 1000));
  let cursor: string | undefined;
  do {
    const page = await readHistory(client, {
      channel: channelId,
      oldest,
      ...(cursor && { cursor }),
    });
    const found = page?.messages?.find(({ metadata }) => {
      const payload: Record<string, unknown> = metadata?.event_payload ?? {};
      return metadata?.event_type === eventType && payload['request_id'] === request.id;
    });
    if (found?.ts) return found.ts;
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
  return undefined;
}

async function readHistory(
  client: WebClient,
  query: { channel: string; oldest: string; cursor?: string },
) {
  try {
    return await client.conversations.history({ ...query, include_all_metadata: true, limit: 200 });
  } catch (error) {
    // Where the app is no member it can neither have read nor, mostly, have posted.
    if (readSlackTrouble(error).outcome === 'refused') return undefined;
    throw error;
  }
}
