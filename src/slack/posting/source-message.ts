/** Reads links to messages, and adds reactions to the message that a run was started from. */
import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readSlackFailure } from './slack-failure.ts';

/** Returns the link to a message, or undefined if the app can't see it. */
export type ReadPermalink = (place: PostPlace) => Promise<string | undefined>;

export function createPermalinkReader(client: WebClient): ReadPermalink {
  return async ({ channelId, ts }) => {
    try {
      const answer = await client.chat.getPermalink({ channel: channelId, message_ts: ts });
      return answer.permalink;
    } catch (error) {
      readSlackFailure(error);
      return undefined;
    }
  };
}

/**
 * Returns the link to a run message. Returns undefined if Slack is slow, because the answer is useful without the link.
 */
export type ReadMessageLink = (
  request: Pick<RunRequest, 'id' | 'creatorId'>,
  viewerId?: string,
) => Promise<string | undefined>;

export const createMessageLinkReader =
  (readPermalink: ReadPermalink, outbox: Outbox, ackWaitMs: number): ReadMessageLink =>
  async ({ id, creatorId }, viewerId = creatorId) => {
    const place = await outbox.findMessage(id);
    // Leave out the link to a direct message, which only the creator can open.
    if (place?.channelId.startsWith('D') && viewerId !== creatorId) return undefined;
    return place && (await withSoftTimeout(readPermalink(place), ackWaitMs));
  };

export type React = (place: PostPlace, name: string) => Promise<void>;

/** Creates a function that adds a reaction, if the app is allowed to. */
export const createReactor =
  (client: Pick<WebClient, 'reactions'>): React =>
  async ({ channelId: channel, ts: timestamp }, name) =>
    void (await client.reactions.add({ channel, timestamp, name }).catch(readSlackFailure));

export type MarkSource = (origin: RequestOrigin) => Promise<void>;

/** Reaction ⏳ on the message that started the run, which shows that it was seen. The run message shows the state. */
export const startedReaction = 'hourglass_flowing_sand';

export const createSourceMarker =
  (react: React): MarkSource =>
  async ({ source }) =>
    source && (await react(source, startedReaction));
