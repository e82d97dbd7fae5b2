import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { PostOutcome, RemoveOutcome } from '../../outbox/outcomes.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import { findMarked, ifReadable, type Mark, type MessagePlace } from './marked-messages.ts';
import { readWriteFailure, type SlackBudget } from './slack-budget.ts';
import { readSlackFailure } from './slack-failure.ts';

type Destination = MessagePlace | (Required<MessagePlace> & { reply_broadcast: true });

/** Posts a message with the mark that identifies it later. */
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

/** Outcome of a post in a run message's thread while that message is replaced. The thread isn't known yet. */
export const beingReplaced = {
  outcome: 'later',
  reason: 'the run message is being replaced',
  retryAfterMs: 0,
  isUndone: true,
  isQuiet: true,
} as const;

/** Returns the ID of the app's direct messages with a person, or the person's own ID, which Slack accepts too. */
export async function openDirectMessage(
  client: Pick<WebClient, 'conversations'>,
  userId: string,
): Promise<string> {
  try {
    const opened = await client.conversations.open({ users: userId });
    return opened.channel?.id ?? userId;
  } catch (error) {
    if (readSlackFailure(error).reason !== 'missing_scope') throw error;
    return userId;
  }
}

/**
 * Posts an ordinary message, unless an earlier try has posted it. In conversations that the app can't read, posts
 * without this check.
 * @param sinceMs time of the first try, in epoch milliseconds
 * @throws errors of Slack
 */
export async function postOnce(
  client: Pick<WebClient, 'chat' | 'conversations'>,
  to: MessagePlace,
  message: { mark: Mark; text: string; blocks?: KnownBlock[] | undefined },
  sinceMs: number,
): Promise<void> {
  const { mark, text, blocks } = message;
  for await (const _ of ifReadable(findMarked(client, to, mark, sinceMs))) return;
  await client.chat.postMessage({ ...to, text, ...(blocks && { blocks }), metadata: mark });
}

/** Creates a function that deletes messages of the app. */
export const createMessageRemover =
  (client: WebClient) =>
  async ({ channelId, ts }: PostPlace): Promise<RemoveOutcome> => {
    try {
      await client.chat.delete({ channel: channelId, ts });
      return { outcome: 'removed' };
    } catch (error) {
      return readSlackFailure(error);
    }
  };
