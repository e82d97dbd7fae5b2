import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { readSlackTrouble } from './slack-trouble.ts';

type ToldPerson = {
  user: string;
  channel?: string | undefined;
  threadTs?: string | undefined;
  text: string;
};

/** Tells one person something privately. The log fields say what it was about if that fails. */
export type TellPerson = (told: ToldPerson, logFields: object) => Promise<void>;

/**
 * Where the person acted, visible only to them; in a direct message where the app can't write there.
 * @throws what isn't trouble of Slack
 */
export function createTellPerson(client: WebClient, logger: Logger): TellPerson {
  return async ({ user, channel, threadTs, text }, logFields) => {
    const thread = threadTs ? { thread_ts: threadTs } : {};
    const inChannel =
      channel && (() => client.chat.postEphemeral({ channel, user, text, ...thread }));
    const directly = () => client.chat.postMessage({ channel: user, text });
    for (const say of [...(inChannel ? [inChannel] : []), directly]) {
      try {
        await say();
        return;
      } catch (failure) {
        const { reason } = readSlackTrouble(failure);
        logger.warn({ reason, ...logFields }, 'Could not tell the person');
      }
    }
  };
}
