import type { WebClient } from '@slack/web-api';
import type { MessagePlace, RunMessages } from '../../following/run-messages.ts';
import { openDirectMessage } from '../posting/direct-message.ts';
import type { SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { outcomeOf, readSlackFailure } from '../posting/slack-failure.ts';
import { findRunMessage, findRunMessagesSince } from './message-metadata.ts';
import { type RunMessage, renderRunMessage } from './render-run-message.ts';
import { createRunMessageWriter } from './run-message-writer.ts';

type SlackRunMessageParts = {
  client: WebClient;
  budget: SlackBudget;
  clock: SlackClock;
};

/**
 * Run messages in Slack. The client's own retries must be off: a repeated post is a second message.
 */
export function createSlackRunMessages({
  client,
  budget,
  clock,
}: SlackRunMessageParts): RunMessages<RunMessage> {
  const writer = createRunMessageWriter({ client, budget });
  return {
    render: renderRunMessage,

    nowMs: clock.nowMs,

    room: (write) => budget.take(write),

    async post(request, message) {
      if (request.pendingPost !== 'direct') {
        const channelId = request.messageChannelId ?? request.channelId;
        const inChannel = await writer.post(channelId, request, message);
        if (inChannel.outcome !== 'refused') return inChannel;
      }
      try {
        return await writer.post(
          await openDirectMessage(client, request.creatorId),
          request,
          message,
        );
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async find(request) {
      try {
        const places = [request.channelId, await openDirectMessage(client, request.creatorId)];
        for (const channelId of places) {
          const ts = await findRunMessage({ client, clock }, channelId, request);
          if (ts) return { outcome: 'posted', place: { channelId, ts } };
        }
        return { outcome: 'absent' };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async update(place, message) {
      const trouble = await writer.update(place, message);
      if (trouble.outcome !== 'refused') return trouble;
      const { reason } = trouble;
      switch (outcomeOf('update', reason)) {
        case 'repost':
          return { outcome: 'gone', reason, pendingPost: 'here' };
        case 'direct':
          return { outcome: 'gone', reason, pendingPost: 'direct' };
        case 'stop':
          return { outcome: 'gone', reason, pendingPost: null };
        case 'shorter':
          return trouble;
      }
    },

    async findDuplicates(request) {
      try {
        const { replacedChannelId, replacedMessageTs } = request;
        const places: MessagePlace[] =
          replacedChannelId && replacedMessageTs
            ? [{ channelId: replacedChannelId, ts: replacedMessageTs }]
            : [];
        for (const channelId of [
          request.channelId,
          await openDirectMessage(client, request.creatorId),
        ]) {
          const all = await findRunMessagesSince({ client, clock }, channelId, request);
          places.push(
            ...all.filter(({ ts }) => ts !== request.messageTs && ts !== replacedMessageTs),
          );
        }
        return { outcome: 'found', places };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async remove({ channelId, ts }) {
      try {
        await client.chat.delete({ channel: channelId, ts });
        return { outcome: 'removed' };
      } catch (error) {
        return readSlackFailure(error);
      }
    },
  };
}
