import type { ReadNames } from '../../people/people.ts';
import { messageText, type SlackMessage } from '../../text/message-text.ts';
import { unnamedPeople, withoutMention } from '../../text/typed-text.ts';

/** Returns a person's own text, without mentions of the app, link previews, and forwarded messages of the app. */
export async function readWords(
  readNames: ReadNames,
  message: SlackMessage,
  { botUserId, botId }: { botUserId: string; botId: string },
): Promise<string> {
  const text = withoutMention(message.text ?? '', botUserId);
  const attachments = message.attachments?.filter(
    ({ is_app_unfurl: isPreview, author_id: author, bot_id: bot }) =>
      !isPreview && author !== botUserId && (!bot || bot !== botId),
  );
  const own = { ...message, text, blocks: null, attachments };
  return messageText(own, await readNames(unnamedPeople(text)));
}

/** Text of the first suggested prompt, and variants that people type. */
const helpTexts = new Set(['help', 'agent help', 'help me', 'what can you do', 'what can i do']);

/** Length of the longest request for help, in characters. */
const longest = 100;

/**
 * Returns true if the whole message asks for help, such as `/agent help` or "What can you do?". Such a message never
 * starts a run. Ignores case, and anything but letters around the text.
 */
export const asksForHelp = (text: string): boolean =>
  text.length <= longest &&
  helpTexts.has(
    text
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
      .replace(/\s+/g, ' '),
  );
