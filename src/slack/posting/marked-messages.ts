/** Finds messages of the app in Slack by their metadata, or by the names of their files. */
import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import type { CopiesOutcome, FindOutcome } from '../../outbox/outcomes.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import { readSlackFailure } from './slack-failure.ts';

/** The clocks of two replicas may each differ from Slack's by five minutes, the limit for signatures. */
const clockSkewMs = 10 * 60_000;

/** The metadata of a post. Slack has no idempotency key for posts, so each is found by what is in it. */
export type Mark = { event_type: string; event_payload: Record<string, string> };

/** In a channel, one of its threads, or direct messages. */
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

/** Undefined for a message without metadata of this type. */
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

/** @param sinceMs epoch milliseconds by Slack's clock */
export const findMarked = (
  client: Client,
  place: MessagePlace,
  mark: Mark,
  sinceMs: number,
): Found => findMessages(client, place, hasMark(mark), sinceMs);

/**
 * In the order of Slack's list, of a thread or else the channel; none in a conversation that is gone.
 * @throws if the app may post there and not read
 */
export async function* findMessages(
  client: Client,
  place: MessagePlace,
  isIt: (message: ShownMessage) => boolean,
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
      if (message.ts && isIt(message)) yield { channelId: place.channel, ts: message.ts };
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
}

/** None where the app may post and not read. Then it calls `unreadable`. */
export async function* ifReadable(found: Found, unreadable?: () => void): Found {
  try {
    yield* found;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    unreadable?.();
  }
}

/** Whether a post is there. */
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
 * The app posts in public channels without being a member, but only members read. Without a scope, it posts where it doesn't
 * read, such as in group DMs.
 */
function isUnreadable(error: unknown): error is WebAPIPlatformError {
  if (!(error instanceof WebAPIPlatformError)) return false;
  return ['not_in_channel', 'missing_scope'].includes(error.data.error);
}

/** A post that can't be looked for counts as refused, because the app joins no channel to look for it. */
const readSearchFailure = (error: unknown) =>
  isUnreadable(error)
    ? ({ outcome: 'refused', reason: error.data.error } as const)
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
    if (isUnreadable(error) || readSlackFailure(error).outcome !== 'refused') throw error;
    return undefined;
  }
}
