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
 * Looks for the request's message in a channel's history since it was accepted.
 * @returns its `ts`; undefined when it is not there or the channel cannot be read
 */
export async function findRunMessage(
  client: WebClient,
  channelId: string,
  request: RunRequest,
): Promise<string | undefined> {
  const marked = eachRunMessage(client, channelId, request, request.acceptedAt);
  return (await marked.next()).value?.ts;
}

/** All of the request's messages in a channel since it was doubted that there is one, the newest first. */
export const findRunMessagesSince = (client: WebClient, channelId: string, request: RunRequest) =>
  collect(eachRunMessage(client, channelId, request, request.doubtedAt ?? request.acceptedAt));

function eachRunMessage(
  client: WebClient,
  channelId: string,
  request: RunRequest,
  sinceMs: number,
): Found {
  const threadTs = channelId === request.channelId ? request.origin?.threadTs : undefined;
  const readPage = (query: Query) =>
    threadTs
      ? client.conversations.replies({ ...query, channel: channelId, ts: threadTs })
      : client.conversations.history({ ...query, channel: channelId });
  return eachMarked({ request, eventType: messageEvent, channelId, sinceMs, readPage });
}

/** Looks for the reply at the end: in the thread of the run message, then in the creator's direct messages. */
export async function findEndReply(
  client: WebClient,
  thread: MessagePlace | undefined,
  directChannelId: string,
  request: RunRequest,
): Promise<MessagePlace | undefined> {
  const replies = eachEndReply(client, thread, directChannelId, request, request.acceptedAt);
  return (await replies.next()).value;
}

/** All replies at the end since they were doubted: in the thread the oldest first, then direct messages. */
export const findEndRepliesSince = (
  client: WebClient,
  thread: MessagePlace | undefined,
  directChannelId: string,
  request: RunRequest,
) => collect(eachEndReply(client, thread, directChannelId, request, firstDoubt(request)));

/** The first of them must be found too, since it is the one that stays. */
const firstDoubt = ({ acceptedAt, doubtedAt, replyBeganAt }: RunRequest) =>
  Math.min(doubtedAt ?? acceptedAt, replyBeganAt ?? acceptedAt);

async function* eachEndReply(
  client: WebClient,
  thread: MessagePlace | undefined,
  directChannelId: string,
  request: RunRequest,
  sinceMs: number,
): Found {
  const wanted = { request, eventType: endEvent, sinceMs };
  if (thread) {
    const { channelId, ts } = thread;
    yield* eachMarked({
      ...wanted,
      channelId,
      readPage: (query) => client.conversations.replies({ ...query, channel: channelId, ts }),
    });
  }
  yield* eachMarked({
    ...wanted,
    channelId: directChannelId,
    readPage: (query) => client.conversations.history({ ...query, channel: directChannelId }),
  });
}

type Found = AsyncGenerator<MessagePlace, undefined>;
type Wanted = {
  request: RunRequest;
  eventType: string;
  channelId: string;
  sinceMs: number;
  readPage: (query: Query) => Promise<Page>;
};
type Query = { oldest: string; limit: number; include_all_metadata: true; cursor?: string };
type Page = {
  messages?: {
    ts?: string;
    metadata?: { event_type?: string; event_payload?: unknown };
  }[];
  response_metadata?: { next_cursor?: string };
};

async function* eachMarked({ request, eventType, channelId, sinceMs, readPage }: Wanted): Found {
  const oldest = String(Math.floor((sinceMs - clockSkewMs) / 1000));
  let cursor: string | undefined;
  do {
    const query = {
      oldest,
      limit: 200,
      include_all_metadata: true,
      ...(cursor && { cursor }),
    } as const;
    const page = await readPage(query).catch(absentWhenRefused);
    for (const { ts, metadata } of page?.messages ?? []) {
      const payload: Record<string, unknown> = { ...Object(metadata?.event_payload) };
      const isMarked = metadata?.event_type === eventType && payload['request_id'] === request.id;
      if (ts && isMarked) yield { channelId, ts };
    }
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
  return undefined;
}

async function collect(found: Found): Promise<MessagePlace[]> {
  const places: MessagePlace[] = [];
  for await (const place of found) places.push(place);
  return places;
}

/** Where the app is no member it can neither have read nor, mostly, have posted. */
function absentWhenRefused(error: unknown): undefined {
  if (readSlackTrouble(error).outcome !== 'refused') throw error;
  return undefined;
}
