import type { ReadNames } from '../../people/people.ts';
import { messageText, type SlackMessage } from '../../text/message-text.ts';
import { unnamedPeople, withoutMention } from '../../text/typed-text.ts';

/** What a person wrote, in words, without mentions of the app. */
export async function readWords(
  readNames: ReadNames,
  message: SlackMessage,
  botUserId: string,
): Promise<string> {
  const text = withoutMention(message.text ?? '', botUserId);
  return messageText({ ...message, text, blocks: null }, await readNames(unnamedPeople(text)));
}
