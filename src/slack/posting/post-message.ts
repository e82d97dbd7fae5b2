import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { Mark, MessagePlace } from './marked-messages.ts';
import { readWriteFailure, type SlackBudget } from './slack-budget.ts';

type Destination = MessagePlace | (Required<MessagePlace> & { reply_broadcast: true });

/** Posts a message with the mark that it's found by. */
export async function postMessage(
  { client, budget }: { client: Pick<WebClient, 'chat'>; budget: SlackBudget },
  to: Destination,
  mark: Mark,
  message: { text: string; blocks?: KnownBlock[] },
): Promise<PostOutcome> {
  const { channel } = to;
  try {
    const posted = await client.chat.postMessage({
      ...to,
      ...message,
      metadata: mark,
      unfurl_links: false,
      unfurl_media: false,
    });
    const place = { channelId: posted.channel ?? channel, ts: posted.ts ?? '' };
    return { outcome: 'posted', place };
  } catch (error) {
    return readWriteFailure(budget, { kind: 'post', channelId: channel }, error);
  }
}

/** For what goes below a run message: its thread isn't known now. */
export const beingReplaced = {
  outcome: 'later',
  reason: 'the run message is being replaced',
  retryAfterMs: 0,
  isUndone: true,
  isQuiet: true,
} as const;
