import { maskSecrets } from 'base/secrets/mask-secrets';
import type { Automation } from '../../automations/automation.ts';
import type { Firing } from '../../automations/firing.ts';
import type { TemplateValues } from '../../automations/template.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import { chooseFiles } from '../files/message-files.ts';
import type { ReadNames } from '../people/people.ts';
import type { ReadPermalink } from '../posting/source-message.ts';
import type { ContextTexts } from '../runs/reading/context-texts.ts';
import { quoteThread } from '../runs/reading/prompt-context.ts';
import {
  authorOf,
  type ReadMessage,
  sentAt,
  type ThreadReader,
} from '../runs/reading/read-thread.ts';
import { readThreadTs, type SlackMessage } from '../text/message-text.ts';
import { unnamedPeople } from '../text/typed-text.ts';
import { isForTrigger } from './read-trigger-event.ts';

/** Context of a run from the message that fired its automation. Secrets are masked. */
export type MessageContext = {
  values: NonNullable<TemplateValues['message']>;
  context: string;
  origin: Pick<RequestOrigin, 'threadTs' | 'source' | 'context' | 'files'>;
};

/** Reads the message of a firing. Undefined if there is none, and `gone` if it was deleted or isn't for the trigger. */
export type ReadFiringMessage = (
  automation: Automation,
  firing: Firing,
) => Promise<MessageContext | 'gone' | undefined>;

export function createFiringMessageReader(deps: {
  /** Reader that throws temporary failures. */
  findMessage: ReadMessage;
  readThread: ThreadReader;
  readPermalink: ReadPermalink;
  readNames: ReadNames;
  texts: ContextTexts;
}): ReadFiringMessage {
  const { findMessage, readThread, readPermalink, readNames, texts } = deps;

  /** Quotes the message, and after it the other messages of its thread. Reads them as the owner of the automation. */
  async function quote(channelId: string, userId: string, message: SlackMessage) {
    const { ts, thread_ts: threadTs, user, text: typed } = message;
    const names = await readNames([...(user ? [user] : []), ...unnamedPeople(typed ?? '')]);
    const text = (await texts.read({ channelId, userId }, [message], names)).get(ts) ?? '';
    const author = authorOf(message, names);
    const own = maskSecrets(quoteThread([{ author, sentAt: sentAt(ts), text }]).text);
    const place = { channelId, userId, threadTs: threadTs ?? ts, except: ts };
    const read = threadTs ? await readThread(place, { masks: own.masked }) : undefined;
    const thread = read && !('closed' in read) && read.messages > 0 ? read : undefined;
    const chosen = chooseFiles([
      ...(texts.isOurs(message) ? [] : [message]),
      ...(thread?.withFiles ?? []),
    ]);
    const context = thread
      ? `${own.text}\n\nOther messages of its thread:\n\n${thread.context}`
      : own.text;
    const sizes = {
      messages: 1 + (thread?.messages ?? 0),
      left: thread?.left ?? 0,
      characters: [...context].length,
      masked: own.masked + (thread?.masked ?? 0),
    };
    return { text, author, context, sizes, files: chosen.files };
  }

  return async (automation, { content: { fired } }) => {
    const at = fired.kind === 'test' ? fired.message : 'ts' in fired ? fired : undefined;
    if (!at) return undefined;
    const { channelId, ts } = at;
    // An automation that moved to another channel must not show this one's messages there.
    if (channelId !== automation.channelId) return 'gone';
    // Slack accepts the time of a reply, and then returns only this reply.
    const message = await findMessage({ channelId, threadTs: ts, ts });
    if (!message) return 'gone';
    const { trigger } = automation.definition;
    const isOther =
      trigger.kind === 'message' && !isForTrigger(trigger, authorIdOf(fired), message);
    if (fired.kind === 'message' && isOther) return 'gone';
    const [quoted, permalink] = await Promise.all([
      quote(channelId, automation.ownerId, message),
      readPermalink({ channelId, ts }),
    ]);
    const { text, author, context, sizes, files } = quoted;
    return {
      values: { text, author, link: permalink ?? '' },
      context,
      origin: {
        threadTs: readThreadTs(message) ?? ts,
        source: { channelId, ts, ...(permalink && { permalink }) },
        context: sizes,
        ...(files.length > 0 && { files }),
      },
    };
  };
}

const authorIdOf = (fired: Firing['content']['fired']) => ('by' in fired ? fired.by : '');
