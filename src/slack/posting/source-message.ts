/** The message that a run came from: its link, and the sign that says that the run is on its way. */
import type { WebClient } from '@slack/web-api';
import { withPatience } from '../../lib/patience.ts';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import { readSlackTrouble } from './slack-trouble.ts';

export type MessagePlace = { channelId: string; ts: string };

/** Undefined where the app cannot see the message. */
export type ReadPermalink = (place: MessagePlace) => Promise<string | undefined>;

export function createPermalinkReader(client: WebClient): ReadPermalink {
  return async ({ channelId, ts }) => {
    try {
      const answer = await client.chat.getPermalink({ channel: channelId, message_ts: ts });
      return answer.permalink;
    } catch (error) {
      readSlackTrouble(error);
      return undefined;
    }
  };
}

/** A link to the message of a run. Undefined when Slack is slow: the person waits, and the answer is true without it. */
export async function readRunMessageLink(
  readPermalink: ReadPermalink,
  { messageChannelId: channelId, messageTs: ts }: RunRequest,
): Promise<string | undefined> {
  if (!channelId || !ts) return undefined;
  return await withPatience(readPermalink({ channelId, ts }), ackWaitMs);
}

export type MarkSource = (origin: RequestOrigin) => Promise<void>;

/** Name of ⏳, which only says that somebody has begun: how the run goes is in its own message. */
export const begunReaction = 'hourglass_flowing_sand';

/** Puts ⏳ on the source. Where the app may not react nothing is lost: the run message tells everything. */
export function createSourceMarker(client: WebClient): MarkSource {
  return async ({ source }) => {
    if (!source) return;
    try {
      const { channelId: channel, ts: timestamp } = source;
      await client.reactions.add({ channel, timestamp, name: begunReaction });
    } catch (error) {
      readSlackTrouble(error);
    }
  };
}
