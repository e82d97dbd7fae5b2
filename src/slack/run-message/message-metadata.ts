/** Slack has no idempotency key for posts, so each post carries a mark to find it by. */
import type { WebClient } from '@slack/web-api';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { collect, type Found, findMarkedMessages, hasMark } from '../posting/marked-messages.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { runMessageEvent } from '../runs/run-of-message.ts';

const noticeEvent = 'slash_agent_run_end';

export const messageMetadata = ({ id }: RunRequest) => ({
  event_type: runMessageEvent,
  event_payload: { request_id: id },
});

/** The same for notices: a request may have several. */
export const noticeMetadata = ({ id }: RunRequest, postId: string) => ({
  event_type: noticeEvent,
  event_payload: { request_id: id, notice: postId },
});

export type Search = { client: WebClient; clock: SlackClock };

/** The newest message of the request in a channel; undefined when it isn't there or the channel can't be read. */
export async function findRunMessage(
  search: Search,
  channelId: string,
  request: RunRequest,
  { sinceMs, but }: { sinceMs: number; but: string | undefined },
): Promise<PostPlace | undefined> {
  for await (const place of eachRunMessage(search, channelId, request, sinceMs))
    if (place.ts !== but) return place;
  return undefined;
}

/** All messages of the request in a channel, newest first. */
export const findRunMessages = (
  search: Search,
  channelId: string,
  request: RunRequest,
  sinceMs: number,
) => collect(eachRunMessage(search, channelId, request, sinceMs));

function eachRunMessage(
  { client }: Search,
  channelId: string,
  request: RunRequest,
  sinceMs: number,
): Found {
  const threadTs = channelId === request.channelId ? request.origin?.threadTs : undefined;
  const isIt = hasMark(runMessageEvent, (payload) => payload['request_id'] === request.id);
  return findMarkedMessages({
    ...{ client, isIt },
    ...{ channelId, threadTs, sinceMs },
  });
}

/** Where a notice is posted: in a thread, a channel, or direct messages. */
export type NoticePlace = { channel: string; thread_ts?: string };

/** All copies of a notice, and the first one that has it. */
export function eachNotice(
  { client }: Search,
  { channel: channelId, thread_ts: threadTs }: NoticePlace,
  postId: string,
  sinceMs: number,
): Found {
  const isIt = hasMark(noticeEvent, (payload) => payload['notice'] === postId);
  return findMarkedMessages({
    ...{ client, isIt },
    ...{ channelId, threadTs, sinceMs },
  });
}
