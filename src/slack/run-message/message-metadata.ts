import type { WebClient } from '@slack/web-api';
import type { MessagePlace } from '../../following/run-messages.ts';
import type { Notice } from '../../store/outbox/notices.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import {
  collect,
  type Found,
  findMarkedMessages,
  type Payload,
} from '../posting/marked-messages.ts';
import type { SlackClock } from '../posting/slack-clock.ts';

const messageEvent = 'slash_agent_run';
const noticeEvent = 'slash_agent_run_end';

/** Slack has no idempotency key for posts, so this marks the message of a request. */
export const messageMetadata = (request: RunRequest) => metadataOf(messageEvent, request);

/** The same for notices: a request may have several. */
export const noticeMetadata = (request: RunRequest, { key }: Pick<Notice, 'key'>) => {
  const marked = metadataOf(noticeEvent, request);
  return { ...marked, event_payload: { ...marked.event_payload, notice: key } };
};

const metadataOf = (eventType: string, request: RunRequest) => ({
  event_type: eventType,
  event_payload: { request_id: request.id },
});

export type Search = { client: WebClient; clock: SlackClock };

/**
 * Looks for the request's message in a channel's history since the latest attempt to post it.
 * @returns its `ts`; undefined when it isn't there or the channel can't be read
 */
export async function findRunMessage(
  search: Search,
  channelId: string,
  request: RunRequest,
): Promise<string | undefined> {
  const sinceMs = request.postBeganAt ?? search.clock.fromOwnMs(request.acceptedAt);
  for await (const { ts } of eachRunMessage(search, channelId, request, sinceMs))
    if (ts !== request.replacedMessageTs) return ts;
  return undefined;
}

/** A duplicate may be suspected again before the first search, so searches go back further. */
const searchMarginMs = 60 * 60_000;

/** All messages of the request in a channel since a duplicate was suspected, newest first. */
export function findRunMessagesSince(search: Search, channelId: string, request: RunRequest) {
  const { acceptedAt, duplicateSuspectedAt } = request;
  const suspectedMs = search.clock.fromOwnMs(duplicateSuspectedAt ?? acceptedAt);
  return collect(eachRunMessage(search, channelId, request, suspectedMs - searchMarginMs));
}

function eachRunMessage(
  { client }: Search,
  channelId: string,
  request: RunRequest,
  sinceMs: number,
): Found {
  const threadTs = channelId === request.channelId ? request.origin?.threadTs : undefined;
  const isMatch = isOf(request);
  return findMarkedMessages({
    client,
    eventType: messageEvent,
    isIt: isMatch,
    channelId,
    threadTs,
    sinceMs,
  });
}

/** Where a notice is posted: in a thread, or in direct messages. */
export type NoticePlace = { channel: string; thread_ts?: string };

/** The first place that has the notice; undefined when none is visible. */
export async function findNotice(
  search: Search,
  place: NoticePlace,
  request: RunRequest,
  notice: Notice,
): Promise<MessagePlace | undefined> {
  const sinceMs = notice.beganAt ?? search.clock.fromOwnMs(notice.dueAt);
  return (await eachNotice(search, place, request, notice, sinceMs).next()).value;
}

/** All copies since a duplicate was suspected; in a thread, oldest first. */
export const findNoticesSince = (
  search: Search,
  place: NoticePlace,
  request: RunRequest,
  notice: Notice,
) => {
  // Includes the first copy, which is the one to keep.
  const ownMs = Math.min(request.duplicateSuspectedAt ?? notice.dueAt, notice.dueAt);
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
  const isMatch = (payload: Payload) => isOf(request)(payload) && payload['notice'] === key;
  return findMarkedMessages({
    client,
    eventType: noticeEvent,
    isIt: isMatch,
    channelId,
    threadTs,
    sinceMs,
  });
}

const isOf = (request: RunRequest) => (payload: Payload) => payload['request_id'] === request.id;
