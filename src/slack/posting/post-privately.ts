import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { readSlackFailure } from './slack-failure.ts';

type Parts = { client: WebClient; logger: Logger };
type Place = { channelId: string; threadTs?: string | undefined; userId: string };
type Answer = { text: string; blocks?: KnownBlock[] };

/**
 * Answers what waits in the inbox, visible only to its author: where they acted, or else as a direct message.
 * @throws what may pass, so that the inbox tries again
 */
export async function postPrivately(
  { client, logger }: Parts,
  { channelId: channel, userId: user, threadTs }: Place,
  answer: Answer,
): Promise<void> {
  try {
    const place = { channel, user, ...(threadTs && { thread_ts: threadTs }) };
    await client.chat.postEphemeral({ ...place, ...answer });
  } catch (error) {
    if (readSlackFailure(error).outcome === 'later') throw error;
    await client.chat.postMessage({ channel: user, ...answer }).catch((refusal: unknown) => {
      const { outcome, reason } = readSlackFailure(refusal);
      if (outcome === 'later') throw refusal;
      logger.warn({ reason }, 'a private answer could not be posted');
    });
  }
}
