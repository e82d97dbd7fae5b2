import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { belowIt, isDirect } from './private-place.ts';
import { readSlackFailure } from './slack-failure.ts';

type PrivateMessage = {
  user: string;
  channel?: string | undefined;
  threadTs?: string | undefined;
  /** The message that someone acted on. */
  ts?: string | undefined;
  text: string;
  blocks?: KnownBlock[] | undefined;
};

/** Sends a message that only one person sees. If that fails, the fields are logged. */
export type SendPrivately = (message: PrivateMessage, logFields: object) => Promise<void>;

/**
 * Posts where the person acted, visible only to them, or sends a direct message if the app can't post there. An ordinary
 * message that may have arrived isn't sent again.
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
