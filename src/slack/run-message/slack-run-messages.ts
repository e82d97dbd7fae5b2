import type { Button } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { MessagePlace, PostOutcome, RunMessages } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { SlackBudget, SlackWrite } from '../slack-budget.ts';
import { rateLimited, readSlackTrouble } from '../slack-trouble.ts';
import { findRunMessage, findRunMessagesSince, messageMetadata } from './message-metadata.ts';
import { type RunMessage, renderRunMessage } from './render-run-message.ts';

/** Errors after which this channel is closed to us, but a direct message to the creator is not. */
const closedChannel = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'restricted_action',
  // The thread that the request came from is gone or closed.
  'cannot_reply_to_message',
  'thread_not_found',
]);

const goneMessage = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'channel_not_found',
  'is_archived',
]);

type SlackRunMessageParts = {
  client: WebClient;
  budget: SlackBudget;
  /** Buttons of other features. */
  moreButtons?: (request: RunRequest) => readonly Button[];
};

/**
 * Run messages as Slack messages. The client's own hidden retries must be off: a repeated post is a second message.
 */
export function createSlackRunMessages({
  client,
  budget,
  moreButtons = () => [],
}: SlackRunMessageParts): RunMessages<RunMessage> {
  return {
    render: (request) => renderRunMessage(request, moreButtons(request)),

    room: (write) => budget.take(write),

    async post(request, message) {
      const inChannel = await postTo(request.channelId, request, message);
      if (inChannel.outcome !== 'refused' || !closedChannel.has(inChannel.reason)) return inChannel;
      try {
        return await postTo(await directMessageWith(request.creatorId), request, message);
      } catch (error) {
        return readSlackTrouble(error);
      }
    },

    async find(request) {
      try {
        const places = [request.channelId, await directMessageWith(request.creatorId)];
        for (const channelId of places) {
          const ts = await findRunMessage(client, channelId, request);
          if (ts) return { outcome: 'posted', place: { channelId, ts } };
        }
        return { outcome: 'absent' };
      } catch (error) {
        return readSlackTrouble(error);
      }
    },

    async update(place, message) {
      try {
        await client.chat.update({ channel: place.channelId, ts: place.ts, ...message });
        return { outcome: 'shown' };
      } catch (error) {
        const trouble = readWriteTrouble(error, 'update', place.channelId);
        if (trouble.outcome === 'later' || !goneMessage.has(trouble.reason)) return trouble;
        return { outcome: 'gone', reason: trouble.reason };
      }
    },

    async findDoubles(request) {
      // Without a message of its own there is none to be double.
      if (request.messageTs === null) return { outcome: 'found', places: [] };
      try {
        const places: MessagePlace[] = [];
        for (const channelId of [request.channelId, await directMessageWith(request.creatorId)]) {
          const all = await findRunMessagesSince(client, channelId, request);
          places.push(...all.filter(({ ts }) => ts !== request.messageTs));
        }
        return { outcome: 'found', places };
      } catch (error) {
        return readSlackTrouble(error);
      }
    },

    async remove({ channelId, ts }) {
      try {
        await client.chat.delete({ channel: channelId, ts });
        return { outcome: 'removed' };
      } catch (error) {
        return readSlackTrouble(error);
      }
    },
  };

  async function postTo(
    channelId: string,
    request: RunRequest,
    message: RunMessage,
  ): Promise<PostOutcome> {
    const threadTs = channelId === request.channelId ? request.origin?.threadTs : undefined;
    try {
      const posted = await client.chat.postMessage({
        channel: channelId,
        ...(threadTs && { thread_ts: threadTs }),
        metadata: messageMetadata(request),
        unfurl_links: false,
        unfurl_media: false,
        ...message,
      });
      const place = { channelId: posted.channel ?? channelId, ts: posted.ts ?? '' };
      return { outcome: 'posted', place };
    } catch (error) {
      return readWriteTrouble(error, 'post', channelId);
    }
  }

  function readWriteTrouble(error: unknown, kind: SlackWrite['kind'], channelId: string) {
    const trouble = readSlackTrouble(error);
    if (trouble.reason === rateLimited && trouble.outcome === 'later') {
      budget.pause({ kind, channelId }, trouble.retryAfterMs);
    }
    return trouble;
  }

  async function directMessageWith(userId: string): Promise<string> {
    const opened = await client.conversations.open({ users: userId });
    return opened.channel?.id ?? userId;
  }
}
