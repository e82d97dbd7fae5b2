import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Logger } from '../../lib/logger.ts';
import { readSlackFailure } from './slack-failure.ts';

type Parts = { inbox: Pick<Inbox, 'register'>; client: WebClient; logger: Logger };

const answerSchema = z.object({
  channelId: z.string(),
  threadTs: z.string().optional(),
  userId: z.string(),
  text: z.string(),
  blocks: z.array(z.custom<KnownBlock>()).optional(),
});
type Answer = z.infer<typeof answerSchema>;

/** @param key one answer is posted for each */
export type PostPrivately = (key: string, answer: Answer) => Promise<void>;

/**
 * Answers what waited in the inbox, visible only to its author: where they acted, or else as a direct message. It's tried
 * until Slack takes it, but what it answers isn't done again: that could affect what was started since.
 */
export function createPrivatePoster({ inbox, client, logger }: Parts): PostPrivately {
  const answers = inbox.register('private-answer', {
    schema: answerSchema,
    async handle(answer) {
      await post(answer);
      return 'done';
    },
    atOnce: 5,
  });
  return async (key, answer) => void (await answers.add(key, answer));

  async function post({ channelId: channel, userId: user, threadTs, ...answer }: Answer) {
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
}
