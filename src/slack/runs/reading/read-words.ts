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
