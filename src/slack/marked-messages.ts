/** Looks in Slack for messages of ours by what we have written into their metadata. */
import type { MessagePlace } from '../following/run-messages.ts';
import { readSlackTrouble } from './slack-trouble.ts';

/** Clocks differ: history is read from a little earlier. */
const clockSkewMs = 60_000;

export type Found = AsyncGenerator<MessagePlace, undefined>;
export type Payload = Readonly<Record<string, unknown>>;
export type Query = { oldest: string; limit: number; include_all_metadata: true; cursor?: string };
type Page = {
  messages?: {
    ts?: string;
    metadata?: { event_type?: string; event_payload?: unknown };
  }[];
  response_metadata?: { next_cursor?: string };
};

type Wanted = {
  eventType: string;
  isIt(payload: Payload): boolean;
  channelId: string;
  sinceMs: number;
  readPage: (query: Query) => Promise<Page>;
};

/** One after the other, as Slack lists them; none where the channel cannot be read. */
export async function* eachMarked(wanted: Wanted): Found {
  const { eventType, isIt, channelId, sinceMs, readPage } = wanted;
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

/** Where the app is no member it can neither have read nor, mostly, have posted. */
function absentWhenRefused(error: unknown): undefined {
  if (readSlackTrouble(error).outcome !== 'refused') throw error;
  return undefined;
}
