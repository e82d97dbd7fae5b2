import type { WebClient } from '@slack/web-api';
import type { MessagePlace } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { readSlackTrouble } from '../slack-trouble.ts';

const messageEvent = 'slash_agent_run';
const endEvent = 'slash_agent_run_end';

/** Slack has no idempotency key for posts; this marks a message as the one of its request. */
export const messageMetadata = (request: RunRequest) => metadataOf(messageEvent, request);

/** Likewise for the reply at the end. */
export const endReplyMetadata = (request: RunRequest) => metadataOf(endEvent, request);

const metadataOf = (eventType: string, request: RunRequest) => ({
  event_type: eventType,
  event_payload: { request_id: request.id },
});

/** Clocks differ: history is read from a little before the request was accepted. */
const clockSkewMs = 60_000;

/**
 * Looks for the request's message in a channel's history since it was accepted; `except` is passed over.
 * @returns its `ts`; undefined when it is not there or the channel cannot be read
 */
export function findRunMessage(
  client: WebClient,
  channelId: string,
  request: RunRequest,
  except?: string,
): Promise<string | undefined> {
  const threadTs = channelId === request.channelId ? request.origin?.threadTs : undefined;
  const readPage = (query: Query) =>
    threadTs
      ? client.conversations.replies({ ...query, channel: channelId, ts: threadTs })
      : client.conversations.history({ ...query, channel: channelId });
  return findMarked(request, messageEvent, readPage, except);
}

/** Looks for the reply at the end: in the thread of the run message, then in the creator's direct messages. */
export async function findEndReply(
  client: WebClient,
  thread: MessagePlace | undefined,
  directChannelId: string,
  request: RunRequest,
): Promise<MessagePlace | undefined> {
  if (thread) {
    const ts = await findMarked(request, endEvent, (query) =>
      client.conversations.replies({ ...query, channel: thread.channelId, ts: thread.ts }),
    );
    if (ts) return { channelId: thread.channelId, ts };
  }
  const ts = await findMarked(request, endEvent, (query) =>
    client.conversations.history({ ...query, channel: directChannelId }),
  );
  return ts ? { channelId: directChannelId, ts } : undefined;
}

type Query = { oldest: string; limit: number; include_all_metadata: true; cursor?: string };
type Page = {
  messages?: {
    ts?: string;
    metadata?: { event_type?: string; event_payload?: unknown };
  }[];
  response_metadata?: { next_cursor?: string };
};

async function findMarked(
  request: RunRequest,
  eventType: string,
  readPage: (query: Query) => Promise<Page>,
  except?: string,
): Promise<string | undefined> {
  const oldest = String(Math.floor((request.acceptedAt - clockSkewMs) / 1000));
  let cursor: string | undefined;
  do {
    const query = {
      oldest,
      limit: 200,
      include_all_metadata: true,
      ...(cursor && { cursor }),
    } as const;
    const page = await readPage(query).catch(absentWhenRefused);
    const found = page?.messages?.find(({ ts, metadata }) => {
      if (ts === except) return false;
      const payload: Record<string, unknown> = { ...Object(metadata?.event_payload) };
      return metadata?.event_type === eventType && payload['request_id'] === request.id;
    });
    if (found?.ts) return found.ts;
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
  return undefined;
}

/** Where the app is no member it can neither have read nor, mostly, have posted. */
function absentWhenRefused(error: unknown): undefined {
  if (readSlackTrouble(error).outcome !== 'refused') throw error;
  return undefined;
}
