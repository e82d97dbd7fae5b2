import { readableLine } from 'base/readable-text';
import { maskSecrets } from 'base/secrets/mask-secrets';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import { messageText, type SlackMessage } from '../../text/message-text.ts';
import type { KnownNames } from '../../text/typed-text.ts';
import { requestLabel, titleLine } from '../showing/run-label.ts';
import { answerOf, statusOf } from '../showing/run-outcome.ts';

/** Conversation of the messages, and the person who sends them to an agent. */
export type ContextPlace = { channelId: string; userId: string };

export type ContextTexts = ReturnType<typeof createContextTexts>;

/** Matches an address, without punctuation that ends a sentence or a bracket. */
const address = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]/g;
const maxLinks = 500;

/**
 * Creates the reader of Slack messages for an agent. The app's own messages have session links, IDs and buttons, and
 * repeat each other. So an agent gets one line for each run instead, and no copied session links. See
 * docs/decisions/018-secrets-in-messages-are-masked.md.
 */
export function createContextTexts(deps: {
  teamId: string;
  botId(): string;
  botUserId(): string;
  requests: Pick<Requests, 'findOfPosts' | 'sessionsAmong'>;
}) {
  const { teamId, botId, botUserId, requests } = deps;
  const isOurs = ({ user, bot_id: bot }: Pick<SlackMessage, 'user' | 'bot_id'>): boolean =>
    (!!user && user === botUserId()) || (!!bot && bot === botId());

  /** Removes link previews and forwarded messages of the app. */
  const withoutOurs = (message: SlackMessage): SlackMessage => ({
    ...message,
    attachments: message.attachments?.filter(
      ({ bot_id: bot, author_id: author }) => !isOurs({ user: author, bot_id: bot }),
    ),
  });

  /** Returns texts by timestamp. Messages without a text for agents are left out. */
  async function read(
    { channelId, userId }: ContextPlace,
    messages: readonly SlackMessage[],
    names?: KnownNames,
  ): Promise<ReadonlyMap<string, string>> {
    const viewer = { teamId, userId, conversationId: channelId };
    const ours = messages.filter(isOurs).map(({ ts }) => ts);
    const runs = await requests.findOfPosts(viewer, channelId, ours);
    const described = new Set<string>();
    const textOf = (message: SlackMessage): string => {
      if (!isOurs(message)) return messageText(withoutOurs(message), names);
      const run = runs.get(message.ts);
      if (!run || described.has(run.id)) return '';
      described.add(run.id);
      return earlierRunLine(run);
    };
    const texts = messages.map((message) => [message.ts, textOf(message)] as const);
    const all = new Set(texts.flatMap(([, text]) => text.match(address) ?? []));
    // Skip links with secrets, because these links are masked anyway.
    const links = [...all].filter((link) => maskSecrets(link).masked === 0);
    const sessions = new Set(await requests.sessionsAmong(teamId, links.slice(0, maxLinks)));
    const withoutSessions = (text: string) =>
      text.replace(address, (link) => (sessions.has(link) ? '[session link]' : link));
    return new Map(texts.flatMap(([ts, text]) => (text ? [[ts, withoutSessions(text)]] : [])));
  }

  return { isOurs, read };
}

function earlierRunLine(request: RunRequest): string {
  const { title, run, step } = request;
  const answer = answerOf(run) ?? (step === 'ended' ? statusOf(run) : '');
  const facts = [titleLine(title), requestLabel(request).word, readableLine(answer)];
  return `Earlier run: ${facts.filter(Boolean).join(', ')}`;
}
