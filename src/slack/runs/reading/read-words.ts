import type { ReadNames } from '../../people/people.ts';
import { messageText, type SlackMessage } from '../../text/message-text.ts';
import { unnamedPeople, withoutMention } from '../../text/typed-text.ts';

/** The words of a person, without mentions of the app, previews of links, and forwarded messages of the app. */
export async function readWords(
  readNames: ReadNames,
  message: SlackMessage,
  botUserId: string,
): Promise<string> {
  const text = withoutMention(message.text ?? '', botUserId);
  const attachments = message.attachments?.filter(
    ({ is_app_unfurl: isPreview, author_id: author }) => !isPreview && author !== botUserId,
  );
  const own = { ...message, text, blocks: null, attachments };
  return messageText(own, await readNames(unnamedPeople(text)));
}
