import type { WebClient } from '@slack/web-api';
import type { MessagePlace } from '../../following/run-messages.ts';
import type { Notice } from '../../store/notices.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { collect, eachMarked, type Found, type Payload } from '../posting/marked-messages.ts';
import type { SlackClock } from '../posting/slack-clock.ts';

const messageEvent = 'slash_agent_run';
const noticeEvent = 'slash_agent_run_end';

/** Slack has no idempotency key for posts; this marks a message as the one of its request. */
export const messageMetadata = (request: RunRequest) => metadataOf(messageEvent, request);

/** Likewise for what people are told beside it, which is one of several. */
export const noticeMetadata = (request: RunRequest, { key }: Pick<Notice, 'key'>) => {
  const marked = metadataOf(noticeEvent, request);
  return { ...marked, event_payload: { ...marked.event_payload, notice: key } };
};

const metadataOf = (eventType: string, request: RunRequest) => ({
  event_type: eventType,
  event_payload: { request_id: request.id },
});

/** What a search needs beside its place. */
export type Search = { client: WebClient; clock: SlackClock };

/**
 * Looks for the request's message in a channel's history since the try to post it began: what an earlier one has left was
 * found before that, or came later.
 * @returns its `ts`; undefined when it is not there or the channel cannot be read
 */
export async function findRunMessage(
  search: Search,
  channelId: string,
  request: RunRequest,
): Promise<string | undefined> {
  const sinceMs = request.postBeganAt ?? search.clock.fromOwnMs(request.acceptedAt);
  for await (const { ts } of eachRunMessage(search, channelId, request, sinceMs))
    if (ts !== request.lostMessageTs) return ts;
  return undefined;
}

/** A doubt may follow another before anybody could look: so far back is looked. */
const olderDoubtsMs = 60 * 60_000;

/** All of the request's messages in a channel since it was doubted that there is one, the newest first. */
export function findRunMessagesSince(search: Search, channelId: string, request: RunRequest) {
  const { acceptedAt, doubtedAt } = request;
  const doubtedMs = search.clock.fromOwnMs(doubtedAt ?? acceptedAt);
  return collect(eachRunMessage(search, channelId, request, doubtedMs - olderDoubtsMs));
}

function eachRunMessage(
  { client }: Search,
  channelId: string,
  request: RunRequest,
  sinceMs: number,
): Found {
  const threadTs = channelId === request.channelId ? request.origin?.threadTs : undefined;
  const isIt = isOf(request);
  return eachMarked({ client, eventType: messageEvent, isIt, channelId, threadTs, sinceMs });
}

/** Where a notice is posted: in a thread, or in direct messages. */
export type NoticePlace = { channel: string; thread_ts?: string };

/** The first place where it stands; undefined when it is nowhere to be seen. */
export async function findNotice(
  search: Search,
  place: NoticePlace,
  request: RunRequest,
  notice: Notice,
): Promise<MessagePlace | undefined> {
  const sinceMs = notice.beganAt ?? search.clock.fromOwnMs(notice.dueAt);
  return (await eachNotice(search, place, request, notice, sinceMs).next()).value;
}

/** All since they were doubted, in a thread the oldest first. */
export const findNoticesSince = (
  search: Search,
  place: NoticePlace,
  request: RunRequest,
  notice: Notice,
) => {
  // The first of them must be found too, since it is the one that stays.
  const ownMs = Math.min(request.doubtedAt ?? notice.dueAt, notice.dueAt);
  const sinceMs = search.clock.fromOwnMs(ownMs);
  return collect(eachNotice(search, place, request, notice, sinceMs));
};

function eachNotice(
  { client }: Search,
  { channel: channelId, thread_ts: threadTs }: NoticePlace,
  request: RunRequest,
  { key }: Pick<Notice, 'key'>,
  sinceMs: number,
): Found {
  const isIt = (payload: Payload) => isOf(request)(payload) && payload['notice'] === key;
  return eachMarked({ client, eventType: noticeEvent, isIt, channelId, threadTs, sinceMs });
}

const isOf = (request: RunRequest) => (payload: Payload) => payload['request_id'] === request.id;
