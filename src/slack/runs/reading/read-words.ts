import type { ReadNames } from '../../people/people.ts';
import { messageText, type SlackMessage } from '../../text/message-text.ts';
import { unnamedPeople, withoutMention } from '../../text/typed-text.ts';

/** This app, as Slack names it in messages. */
type App = { botUserId: string; botId: string };

/** The words of a person, without mentions of the app, previews of links, and forwarded messages of the app. */
export async function readWords(
  readNames: ReadNames,
  message: SlackMessage,
  { botUserId, botId }: App,
): Promise<string> {
  const text = withoutMention(message.text ?? '', botUserId);
  const attachments = message.attachments?.filter(
    ({ is_app_unfurl: isPreview, author_id: author, bot_id: bot }) =>
      !isPreview && author !== botUserId && (!bot || bot !== botId),
  );
  const own = { ...message, text, blocks: null, attachments };
  return messageText(own, await readNames(unnamedPeople(text)));
}

/** The words of the first suggested prompt, and what people type instead. */
const asked = new Set(['help', 'agent help', 'help me', 'what can you do', 'what can i do']);

/** Longest message that can be a request for help, in characters. */
const longest = 100;

/**
 * Whether a whole message asks for help, which never starts a run. Case, and what isn't a letter at its beginning or end,
 * don't matter: `/agent help`, "What can you do?".
 */
export const asksForHelp = (text: string): boolean =>
  text.length <= longest &&
  asked.has(
    text
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
      .replace(/\s+/g, ' '),
  );
