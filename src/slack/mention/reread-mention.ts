import type { ReadNames } from '../people/people.ts';
import type { AgainMessage } from '../runs/offer-again.ts';
import type { ReadMessage } from '../runs/read-thread.ts';
import { messageText } from '../text/message-text.ts';
import { unnamedPeople, withoutMention } from '../text/typed-text.ts';

export type RereadMentionParts = {
  readMessage: ReadMessage;
  readNames: ReadNames;
  /** Known once the app has started. */
  botUserId(): string;
};

/** What the mention says now, after a click. It may have been edited; undefined when it was deleted. */
export async function rereadMention(
  { readMessage, readNames, botUserId }: RereadMentionParts,
  mention: AgainMessage,
): Promise<string | undefined> {
  const message = await readMessage(mention);
  if (!message) return undefined;
  const text = withoutMention(message.text ?? '', botUserId());
  return messageText({ ...message, text, blocks: null }, await readNames(unnamedPeople(text)));
}
