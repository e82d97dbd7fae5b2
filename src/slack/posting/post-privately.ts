import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import type { Logger } from 'base/logger';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import { openDirectMessage } from './direct-message.ts';
import type { Mark, MessagePlace } from './marked-messages.ts';
import { postOnce } from './post-once.ts';
import { belowIt, isDirect } from './private-place.ts';
import { readSlackFailure } from './slack-failure.ts';

type Parts = { inbox: Pick<Inbox, 'register'>; client: WebClient; logger: Logger };

const answerSchema = z.object({
  channelId: z.string(),
  threadTs: z.string().optional(),
  /** The message that it answers. */
  ts: z.string().optional(),
  userId: z.string(),
  text: z.string(),
  blocks: z.array(z.custom<KnownBlock>()).optional(),
});
type Answer = z.infer<typeof answerSchema>;

/** The mark to search for, and the time of the first try. Answers that an earlier version stored have neither. */
const storedSchema = answerSchema.extend({
  key: z.string().default(''),
  sinceMs: z.number().default(0),
});
type Stored = z.infer<typeof storedSchema>;

/** @param key one answer is posted for each */
export type PostPrivately = (key: string, answer: Answer) => Promise<void>;

/**
 * Answers what waited in the inbox, where only its author reads it: in direct messages with an ordinary message in the
 * thread of what it answers, elsewhere with an ephemeral one, or else as a direct message. It's tried until Slack takes it,
 * but what it answers isn't done again: that could affect what was started since.
 */
export function createPrivatePoster({ inbox, client, logger }: Parts): PostPrivately {
  const answers = inbox.register('private-answer', {
    schema: storedSchema,
    async handle(answer) {
      await post(answer);
      return 'done';
    },
  });
  return async (key, answer) =>
    void (await answers.add(key, { ...answer, key, sinceMs: Date.now() }));

  async function post(stored: Stored): Promise<void> {
    const { channelId: channel, userId: user, threadTs, text, blocks } = stored;
    const content = { text, ...(blocks && { blocks }) };
    const lasting = (to: MessagePlace) =>
      postOnce(client, to, { ...content, mark: markOf(stored) }, stored.sinceMs);
    const here = () =>
      isDirect(channel)
        ? lasting(belowIt(stored))
        : client.chat.postEphemeral({
            ...belowIt({ channelId: channel, threadTs }),
            user,
            ...content,
          });
    const directly = async () => lasting({ channel: await openDirectMessage(client, user) });
    for (const send of [here, directly]) {
      const refusal = await send().then(() => undefined, readRefusal);
      if (refusal === undefined) return;
      if (send === directly)
        logger.warn({ reason: refusal }, 'a private answer could not be posted');
    }
  }
}

const markOf = ({ key, text }: Stored): Mark => ({
  event_type: 'slash_agent_answer',
  event_payload: { answer: fingerprint({ key, text }) },
});

/** An answer isn't kept for days. @throws the error itself if Slack may soon accept a retry */
function readRefusal(error: unknown): string {
  const failure = readSlackFailure(error);
  if (failure.outcome === 'later' && !failure.isLasting) throw error;
  return failure.reason;
}
