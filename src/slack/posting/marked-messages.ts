/** Finds messages of the app in Slack by their metadata, or by the names of their files. */
import type { WebClient } from '@slack/web-api';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import { readSlackFailure } from './slack-failure.ts';

/** The clocks of two replicas may each differ from Slack's by five minutes, the limit for signatures. */
const clockSkewMs = 10 * 60_000;

export type Found = AsyncGenerator<PostPlace, undefined>;
export type Payload = Readonly<Record<string, unknown>>;
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

type Wanted = {
  client: Pick<WebClient, 'conversations'>;
  isIt(message: ShownMessage): boolean;
  channelId: string;
  /** Search this thread instead of the channel. */
  threadTs?: string | undefined;
  /** Epoch milliseconds by Slack's clock. */
  sinceMs: number;
};

/** Undefined for a message without metadata of this type. */
export const readMark = (
  eventType: string,
  { metadata }: Pick<ShownMessage, 'metadata'>,
): Payload | undefined =>
  metadata?.event_type === eventType ? { ...Object(metadata.event_payload) } : undefined;

/** For `isIt`: a message with metadata of this type. */
export const hasMark =
  (eventType: string, isIt: (payload: Payload) => boolean) =>
  (message: ShownMessage): boolean => {
    const payload = readMark(eventType, message);
    return payload !== undefined && isIt(payload);
  };

/** In the order of Slack's list; none if the channel can't be read. */
export async function* findMarkedMessages(wanted: Wanted): Found {
  const { isIt, channelId, sinceMs } = wanted;
  const oldest = String(Math.max(0, Math.floor((sinceMs - clockSkewMs) / 1000)));
  let cursor: string | undefined;
  do {
    const query = {
      oldest,
      limit: 200,
      include_all_metadata: true,
      ...(cursor && { cursor }),
    } as const;
    const page = await readPage(wanted, query);
    for (const message of page?.messages ?? [])
      if (message.ts && isIt(message)) yield { channelId, ts: message.ts };
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
  return undefined;
}

export async function collect(found: Found): Promise<PostPlace[]> {
  const places: PostPlace[] = [];
  for await (const place of found) places.push(place);
  return places;
}

/**
 * The app can post to a public channel without being a member, but only members can read. So it joins, to find its posts.
 * If it can't join, it can't have posted.
 */
async function readPage(
  { client, channelId, threadTs }: Wanted,
  query: Query,
): Promise<Page | undefined> {
  const read = (): Promise<Page> =>
    threadTs
      ? client.conversations.replies({ ...query, channel: channelId, ts: threadTs })
      : client.conversations.history({ ...query, channel: channelId });
  try {
    return await read();
  } catch (error) {
    if (readRefusal(error) !== 'not_in_channel') return undefined;
  }
  try {
    await client.conversations.join({ channel: channelId });
    return await read();
  } catch (error) {
    readRefusal(error);
    return undefined;
  }
}

/** @throws the error itself if Slack may accept a retry */
function readRefusal(error: unknown): string {
  const failure = readSlackFailure(error);
  if (failure.outcome !== 'refused') throw error;
  return failure.reason;
}
