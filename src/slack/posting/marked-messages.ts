/** Finds the app's messages in Slack by their metadata, or by the names of their files. */
import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import type { CopiesOutcome, FindOutcome } from '../../outbox/outcomes.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import { readSlackFailure } from './slack-failure.ts';

/** Extra time that searches go back, in ms. The clocks of two replicas can each be five minutes off. */
const clockSkewMs = 10 * 60_000;

/** Metadata of a post, by which it's found again. Slack has no idempotency key for posts. */
export type Mark = { event_type: string; event_payload: Record<string, string> };

export type MessagePlace = { channel: string; thread_ts?: string };
export type Found = AsyncIterable<PostPlace>;
type Client = Pick<WebClient, 'conversations'>;
type Query = { oldest: string; limit: number; include_all_metadata: true; cursor?: string };
type ShownMessage = {
  ts?: string;
  metadata?: { event_type?: string; event_payload?: unknown };
  files?: { name?: string }[];
};
type Page = {
  messages?: ShownMessage[];
  response_metadata?: { next_cursor?: string };
};

/** Returns the payload of a message's metadata, or undefined if the metadata has another type. */
export const readMark = (
  eventType: string,
  { metadata }: Pick<ShownMessage, 'metadata'>,
): Readonly<Record<string, unknown>> | undefined =>
  metadata?.event_type === eventType ? { ...Object(metadata.event_payload) } : undefined;

const hasMark =
  ({ event_type: type, event_payload: wanted }: Mark) =>
  (message: ShownMessage): boolean => {
    const payload = readMark(type, message);
    return Object.entries(wanted).every(([name, value]) => payload?.[name] === value);
  };

/**
 * Finds messages with this metadata.
 * @param sinceMs epoch milliseconds by Slack's clock
 */
export const findMarked = (
  client: Client,
  place: MessagePlace,
  mark: Mark,
  sinceMs: number,
): Found => findMessages(client, place, hasMark(mark), sinceMs);

/**
 * Yields matching messages of a thread or channel in Slack's order. Yields none if the conversation is gone.
 * @throws if the app can post in the conversation but not read it
 */
export async function* findMessages(
  client: Client,
  place: MessagePlace,
  matches: (message: ShownMessage) => boolean,
  sinceMs: number,
): Found {
  const oldest = String(Math.max(0, Math.floor((sinceMs - clockSkewMs) / 1000)));
  let cursor: string | undefined;
  do {
    const query = {
      oldest,
      limit: 200,
      include_all_metadata: true,
      ...(cursor && { cursor }),
    } as const;
    const page = await readPage(client, place, query);
    for (const message of page?.messages ?? [])
      if (message.ts && matches(message)) yield { channelId: place.channel, ts: message.ts };
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
}

/** Yields the found messages. If the app can't read the conversation, calls `unreadable` instead of throwing. */
export async function* ifReadable(found: Found, unreadable?: () => void): Found {
  try {
    yield* found;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    unreadable?.();
  }
}

export async function findFirst(copies: Found): Promise<FindOutcome> {
  try {
    for await (const place of copies) return { outcome: 'posted', place };
    return { outcome: 'absent' };
  } catch (error) {
    return readSearchFailure(error);
  }
}

export async function findAll(copies: Found): Promise<CopiesOutcome> {
  try {
    const places: PostPlace[] = [];
    for await (const place of copies) places.push(place);
    return { outcome: 'found', places };
  } catch (error) {
    return readSearchFailure(error);
  }
}

/**
 * Returns true if the error means that the app can post in a conversation but not read it. Only members read public
 * channels, and group DMs need a scope.
 */
function isUnreadable(error: unknown): error is WebAPIPlatformError {
  if (!(error instanceof WebAPIPlatformError)) return false;
  return ['not_in_channel', 'missing_scope'].includes(error.data.error);
}

/**
 * Returns the failure of a search. In an unreadable conversation, rejects the post, because the app doesn't join
 * channels to search.
 */
const readSearchFailure = (error: unknown) =>
  isUnreadable(error)
    ? ({ outcome: 'rejected', reason: error.data.error } as const)
    : readSlackFailure(error);

async function readPage(
  client: Client,
  { channel, thread_ts: ts }: MessagePlace,
  query: Query,
): Promise<Page | undefined> {
  try {
    return ts
      ? await client.conversations.replies({ ...query, channel, ts })
      : await client.conversations.history({ ...query, channel });
  } catch (error) {
    if (isUnreadable(error) || readSlackFailure(error).outcome !== 'rejected') throw error;
    return undefined;
  }
}
