/** Looks in Slack for messages of ours by what we have written into their metadata. */
import type { WebClient } from '@slack/web-api';
import type { MessagePlace } from '../../following/run-messages.ts';
import { readSlackTrouble } from './slack-trouble.ts';

/** Replicas' clocks may each be five minutes off Slack's and still have their signatures accepted. */
const clockSkewMs = 10 * 60_000;

export type Found = AsyncGenerator<MessagePlace, undefined>;
export type Payload = Readonly<Record<string, unknown>>;
type Query = { oldest: string; limit: number; include_all_metadata: true; cursor?: string };
type Page = {
  messages?: {
    ts?: string;
    metadata?: { event_type?: string; event_payload?: unknown };
  }[];
  response_metadata?: { next_cursor?: string };
};

type Wanted = {
  client: Pick<WebClient, 'conversations'>;
  eventType: string;
  isIt(payload: Payload): boolean;
  channelId: string;
  /** The thread that is looked at in place of the channel. */
  threadTs?: string | undefined;
  /** Epoch milliseconds by Slack's clock. */
  sinceMs: number;
};

/** One after the other, as Slack lists them; none where the channel cannot be read. */
export async function* eachMarked(wanted: Wanted): Found {
  const { eventType, isIt, channelId, sinceMs } = wanted;
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
    for (const { ts, metadata } of page?.messages ?? []) {
      const payload: Payload = { ...Object(metadata?.event_payload) };
      if (ts && metadata?.event_type === eventType && isIt(payload)) yield { channelId, ts };
    }
    cursor = page?.response_metadata?.next_cursor;
  } while (cursor);
  return undefined;
}

export async function collect(found: Found): Promise<MessagePlace[]> {
  const places: MessagePlace[] = [];
  for await (const place of found) places.push(place);
  return places;
}

/**
 * Into a public channel the app may post without being a member, but only members read: it goes in, so that nothing is
 * posted there twice. Where it may not go in it cannot have posted.
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

/** @throws the error itself when it is no refusal */
function readRefusal(error: unknown): string {
  const trouble = readSlackTrouble(error);
  if (trouble.outcome !== 'refused') throw error;
  return trouble.reason;
}
