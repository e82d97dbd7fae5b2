/**
 * Renders and handles *Ask @owner*, for someone whose message wasn't sent because the run uses another person's keys.
 */
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { Inbox } from '../../../inbox/inbox.ts';
import type { Listeners } from '../../connection/deliveries/listeners.ts';
import type { Authorized } from '../../people/key-rights.ts';
import type { ReadNames } from '../../people/people.ts';
import { answerPrivately } from '../../posting/answer-privately.ts';
import type { PostPrivately } from '../../posting/post-privately.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import type { ReadPermalink } from '../../posting/source-message.ts';
import { actions, button, section } from '../../text/blocks.ts';
import { link } from '../../text/escape-text.ts';
import type { RunAccess } from '../reading/run-access.ts';
import { boldTitle } from '../showing/run-label.ts';
import { onClick } from './click.ts';

const askOwnerAction = 'run:ask-owner';

const askSchema = z.object({ requestId: z.string(), channelId: z.string(), ts: z.string() });
/** Message that wasn't sent, and its run. */
type Unsent = z.infer<typeof askSchema>;

/** Renders a denial, with a button if the owner of the keys can agree. */
export async function renderDenial(
  readNames: ReadNames,
  { denial, ask }: Extract<Authorized, { denial: string }>,
  unsent: Unsent,
): Promise<{ text: string; blocks?: KnownBlock[] }> {
  const text = `⚠️ ${denial}`;
  if (ask === undefined) return { text };
  const name = (await readNames([ask])).get(ask);
  const askOwner = button(askOwnerAction, name ? `Ask ${name}` : 'Ask them', {
    value: JSON.stringify(unsent),
  });
  return { text, blocks: [section(text), actions([askOwner])] };
}

const questionSchema = z.object({
  ownerId: z.string(),
  text: z.string(),
  /** Asker and channel to notify if the question can't be sent. */
  asker: z.object({ channelId: z.string(), userId: z.string() }),
});

export type AskOwnerDeps = {
  access: Pick<RunAccess, 'seeRequest'>;
  inbox: Pick<Inbox, 'register'>;
  client: Pick<WebClient, 'chat'>;
  postPrivately: PostPrivately;
  readPermalink: ReadPermalink;
};

/**
 * Registers the *Ask @owner* button. The owner is asked once for each message. The direct message is retried until
 * Slack accepts or rejects it.
 */
export function registerAskOwner(
  app: Listeners,
  { access, inbox, client, postPrivately, readPermalink }: AskOwnerDeps,
): void {
  const questions = inbox.register('question-to-owner', {
    schema: questionSchema,
    async handle({ ownerId, text, asker }) {
      try {
        await client.chat.postMessage({ channel: ownerId, text });
      } catch (error) {
        if (readSlackFailure(error).outcome === 'later') throw error;
        await postPrivately(text, { ...asker, text: notAsked(ownerId) });
      }
      return 'done';
    },
  });
  onClick(app, askOwnerAction, async (click) => {
    const { data: unsent } = askSchema.safeParse(parseJson(click.value));
    if (!unsent) return;
    const { requestId, channelId, ts } = unsent;
    const found = await access.seeRequest(click.viewer, requestId);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { creatorId: ownerId, title } = found.request;
    const { userId } = click.viewer;
    const permalink = await readPermalink({ channelId, ts });
    const message = link(permalink, 'a message') || 'a message';
    const text = `<@${userId}> would like to send ${message} to ${boldTitle(title, 100)}. The run uses your keys, so only you can message it. If you agree, write it in the run's thread.`;
    const asker = { channelId, userId };
    await questions.add(`${channelId} ${ts} ${userId}`, { ownerId, text, asker });
    await answerPrivately(click, { text: `Asked <@${ownerId}>.` });
  });
}

const notAsked = (ownerId: string) =>
  `⚠️ Slack didn't deliver your question to <@${ownerId}>. Start your own run instead.`;
