import type { WebClient } from '@slack/web-api';
import type { MessagePlace, PostOutcome } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import { outcomeOf } from '../posting/slack-failure.ts';
import { messageMetadata } from './message-metadata.ts';
import type { RunMessage } from './render-run-message.ts';
import { shortRunMessage } from './short-run-message.ts';

type WriterParts = { client: WebClient; budget: SlackBudget };

/** Writes run messages, and retries with a short one if Slack refuses a message as too long. */
export function createRunMessageWriter({ client, budget }: WriterParts) {
  return {
    async post(channelId: string, request: RunRequest, message: RunMessage): Promise<PostOutcome> {
      const first = await postOnce(channelId, request, message);
      const isTooLong =
        first.outcome === 'refused' && outcomeOf('post', first.reason) === 'shorter';
      return isTooLong ? await postOnce(channelId, request, shortRunMessage(message)) : first;
    },

    async update(place: MessagePlace, message: RunMessage) {
      const first = await updateOnce(place, message);
      const isTooLong =
        first.outcome === 'refused' && outcomeOf('update', first.reason) === 'shorter';
      return isTooLong ? await updateOnce(place, shortRunMessage(message)) : first;
    },
  };

  async function updateOnce({ channelId, ts }: MessagePlace, message: RunMessage) {
    try {
      await client.chat.update({ channel: channelId, ts, ...message });
      return { outcome: 'shown' } as const;
    } catch (error) {
      return readWriteFailure(budget, { kind: 'update', channelId }, error);
    }
  }

  async function postOnce(
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
      return readWriteFailure(budget, { kind: 'post', channelId }, error);
    }
  }
}
