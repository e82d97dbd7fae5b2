import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { readSlackFailure } from './slack-failure.ts';

type PrivateMessage = {
  user: string;
  channel?: string | undefined;
  threadTs?: string | undefined;
  text: string;
  blocks?: KnownBlock[] | undefined;
};

/** Sends a message that only one person sees. If that fails, the fields are logged. */
export type SendPrivately = (message: PrivateMessage, logFields: object) => Promise<void>;

/**
 * Posts where the person acted, visible only to them, or sends a direct message if the app can't post there.
 * @throws errors that don't come from Slack
 */
export function createPrivateSender(client: WebClient, logger: Logger): SendPrivately {
  return async ({ user, channel, threadTs, text, blocks }, logFields) => {
    const thread = threadTs ? { thread_ts: threadTs } : {};
    const content = { text, ...(blocks && { blocks }) };
    const inChannel =
      channel && (() => client.chat.postEphemeral({ channel, user, ...content, ...thread }));
    const directly = () => client.chat.postMessage({ channel: user, ...content });
    for (const send of [...(inChannel ? [inChannel] : []), directly]) {
      try {
        await send();
        return;
      } catch (error) {
        const { reason } = readSlackFailure(error);
        logger.warn({ reason, ...logFields }, "Couldn't send a private message");
      }
    }
  };
}
