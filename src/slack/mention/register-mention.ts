import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import type { Mentions } from '../../store/mentions.ts';
import type { OpenForm } from '../run-start.ts';
import { readSlackTrouble } from '../slack-trouble.ts';
import {
  type MentionAnswer,
  readThreadMention,
  startFromThreadAction,
  threadPrompt,
} from './mention-answers.ts';
import { MentionInbox } from './mention-inbox.ts';
import { type Mention, readMention } from './read-mention.ts';
import { type TakeMentionParts, takeMention } from './take-mention.ts';

type MentionParts = TakeMentionParts & {
  client: WebClient;
  mentions: Mentions;
  openForm: OpenForm;
  /** Known once the app has started. */
  botUserId(): string;
  logger: Logger;
};

/** Mentions in channels and threads, and direct messages. The inbox is started and stopped with the app. */
export function registerMention(app: App, parts: MentionParts): MentionInbox {
  const inbox = new MentionInbox({
    ...parts,
    handle: async (mention) => {
      const answer = await takeMention(parts, mention, parts.botUserId());
      if (answer) await say(parts, mention, answer);
    },
  });
  keepBeforeAcknowledging(app, async (body) => {
    const mention = readMention(body, parts.botUserId());
    if (mention) await inbox.keep(mention);
  });
  // Stored by then; Bolt wants to know that these are ours.
  app.event('app_mention', async () => {});
  app.event('message', async () => {});

  app.action(
    { type: 'block_actions', action_id: startFromThreadAction },
    async ({ ack, action, body, client }) => {
      await ack();
      const place = readThreadMention(action.type === 'button' ? action.value : undefined);
      if (!place) return;
      const { channelId, threadTs, ts } = place;
      const to = {
        triggerId: body.trigger_id,
        asker: { teamId: body.team?.id ?? '', userId: body.user.id, channelId },
      };
      const origin = { kind: 'mention' as const, threadTs, source: { channelId, ts } };
      const draft = { channelId, prompt: threadPrompt, typed: {}, origin };
      await parts.openForm(client, to, draft, async () => {
        const [thread, permalink] = await Promise.all([
          parts.readThread({ channelId, threadTs, except: ts }),
          parts.readPermalink({ channelId, ts }),
        ]);
        return 'closed' in thread
          ? undefined
          : { ...thread, permalink, notices: [], isWanted: true };
      });
    },
  );
  return inbox;
}

/** Bolt acknowledges an event before its listeners run; a crash between the two would lose it. */
function keepBeforeAcknowledging(app: App, keep: (body: unknown) => Promise<void>): void {
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    await keep(event.body);
    await processEvent(event);
  };
}

/** To the person alone, where they wrote or else directly. @throws when Slack may take it later */
async function say(
  { client, logger }: Pick<MentionParts, 'client' | 'logger'>,
  mention: Mention,
  answer: MentionAnswer,
): Promise<void> {
  const { channelId: channel, userId: user, threadTs } = mention;
  try {
    const place = { channel, user, ...(threadTs && { thread_ts: threadTs }) };
    await client.chat.postEphemeral({ ...place, ...answer });
  } catch (error) {
    if (readSlackTrouble(error).outcome === 'later') throw error;
    await client.chat.postMessage({ channel: user, ...answer }).catch((refusal: unknown) => {
      const { outcome, reason } = readSlackTrouble(refusal);
      if (outcome === 'later') throw refusal;
      logger.warn({ reason }, 'the answer to a mention has no place');
    });
  }
}
