import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import type { Logger } from 'base/logger';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Mark, MessagePlace } from './marked-messages.ts';
import { openDirectMessage, postOnce } from './post-message.ts';
import { readSlackFailure } from './slack-failure.ts';

/** Place where someone acted. `ts` is their message, or the one with the clicked button. */
export type ActedAt = {
  channelId: string;
  threadTs?: string | undefined;
  ts?: string | undefined;
};

/**
 * Returns true for direct messages with the app. Answers there are ordinary messages, because Slack doesn't keep
 * ephemeral ones and shows them only in an open thread. Answers to commands stay ephemeral, because people can also
 * type them in direct messages with each other.
 */
export const isDirect = (channelId: string): boolean => channelId.startsWith('D');

/**
 * Returns the place for an ordinary message: the thread of the message that someone acted on. People find it there,
 * because Slack's view of an agent lists threads.
 */
export const belowIt = ({ channelId: channel, threadTs, ts }: ActedAt) => {
  const thread = threadTs ?? ts;
  return { channel, ...(thread && { thread_ts: thread }) };
};

type PrivateMessage = {
  user: string;
  channel?: string | undefined;
  threadTs?: string | undefined;
  /** Message that someone acted on. */
  ts?: string | undefined;
  text: string;
  blocks?: KnownBlock[] | undefined;
};

/** Sends a message that only one person sees. If that fails, the fields are logged. */
export type SendPrivately = (message: PrivateMessage, logFields: object) => Promise<void>;

/**
 * Creates a function that posts where the person acted, visible only to them. If the app can't post there, it sends a
 * direct message. An ordinary message that may have arrived isn't sent again.
 * @throws errors that don't come from Slack
 */
export function createPrivateSender(client: WebClient, logger: Logger): SendPrivately {
  return async ({ user, channel, threadTs, ts, text, blocks }, logFields) => {
    const content = { text, ...(blocks && { blocks }) };
    const directly = () => client.chat.postMessage({ channel: user, ...content });
    const isLasting = channel !== undefined && isDirect(channel);
    const here = (at: string) =>
      isLasting
        ? client.chat.postMessage({ ...belowIt({ channelId: at, threadTs, ts }), ...content })
        : client.chat.postEphemeral({ ...belowIt({ channelId: at, threadTs }), user, ...content });
    for (const send of [...(channel ? [() => here(channel)] : []), directly]) {
      try {
        await send();
        return;
      } catch (error) {
        const failure = readSlackFailure(error);
        logger.warn({ reason: failure.reason, ...logFields }, "Couldn't send a private message");
        if (isLasting && failure.outcome === 'later' && !failure.isUndone) return;
      }
    }
  };
}

const answerSchema = z.object({
  channelId: z.string(),
  threadTs: z.string().optional(),
  /** Message that this text answers. */
  ts: z.string().optional(),
  userId: z.string(),
  text: z.string(),
  blocks: z.array(z.custom<KnownBlock>()).optional(),
});
type Answer = z.infer<typeof answerSchema>;

/**
 * Stored answer, with the key for its mark and the time of the first try in epoch ms. Answers of an earlier version
 * have neither.
 */
const storedSchema = answerSchema.extend({
  key: z.string().default(''),
  sinceMs: z.number().default(0),
});
type Stored = z.infer<typeof storedSchema>;

/** Posts one answer for each key, visible only to the person. */
export type PostPrivately = (key: string, answer: Answer) => Promise<void>;

/**
 * Creates a function that answers inbox items so that only the author sees it. In direct messages, the answer is posted
 * in the thread. Elsewhere it's an ephemeral message, or else a direct message. Only the answer is repeated until Slack
 * accepts it, because handling the item again could affect newer runs.
 */
export function createPrivatePoster(deps: {
  inbox: Inbox;
  client: WebClient;
  logger: Logger;
}): PostPrivately {
  const { inbox, client, logger } = deps;
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
      const rejection = await send().then(() => undefined, readRejection);
      if (rejection === undefined) return;
      if (send === directly)
        logger.warn({ reason: rejection }, 'a private answer could not be posted');
    }
  }
}

const markOf = ({ key, text }: Stored): Mark => ({
  event_type: 'slash_agent_answer',
  event_payload: { answer: fingerprint({ key, text }) },
});

/**
 * Returns Slack's reason for rejecting an answer, which is then dropped.
 * @throws the error itself if Slack may soon accept a retry
 */
function readRejection(error: unknown): string {
  const failure = readSlackFailure(error);
  if (failure.outcome === 'later' && !failure.isLasting) throw error;
  return failure.reason;
}
