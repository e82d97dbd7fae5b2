import type { WebClient } from '@slack/web-api';
import type { PostOutcome, UpdateOutcome } from '../../outbox/outcomes.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
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

    async update(place: PostPlace, message: RunMessage): Promise<UpdateOutcome> {
      const first = await updateOnce(place, message);
      const isTooLong =
        first.outcome === 'refused' && outcomeOf('update', first.reason) === 'shorter';
      const last = isTooLong ? await updateOnce(place, shortRunMessage(message)) : first;
      return last.outcome === 'refused' ? readRefusal(last.reason) : last;
    },
  };

  async function updateOnce({ channelId, ts }: PostPlace, message: RunMessage) {
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

function readRefusal(reason: string): UpdateOutcome {
  switch (outcomeOf('update', reason)) {
    case 'repost':
      return { outcome: 'gone', reason, repost: 'here' };
    case 'direct':
      return { outcome: 'gone', reason, repost: 'direct' };
    case 'stop':
      return { outcome: 'gone', reason, repost: null };
    case 'shorter':
      return { outcome: 'refused', reason };
  }
}
