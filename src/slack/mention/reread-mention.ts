/** A mention read once more, after somebody has clicked: it may have been changed or deleted meanwhile. */
import type { RunRequest } from '../../store/request-row.ts';
import type { ReadNames } from '../people/people-names.ts';
import { splitPrompt } from '../runs/prompt-context.ts';
import type { ReadMessage, ThreadReader } from '../runs/read-thread.ts';
import type { AddedWords } from '../runs/run-start.ts';
import { maskSecrets } from '../secrets/mask-secrets.ts';
import { messageText } from '../text/message-text.ts';
import { unnamedPeople } from '../text/typed-text.ts';
import type { AgainMention } from './mention-answers.ts';
import { withoutMention } from './read-mention.ts';

export type ReadAgainParts = {
  readMessage: ReadMessage;
  readThread: ThreadReader;
  readNames: ReadNames;
  /** Known once the app has started. */
  botUserId(): string;
};

/** What the mention says now; undefined when it is gone. */
export async function readAdded(
  { readMessage, readNames, botUserId }: ReadAgainParts,
  wanted: AgainMention,
): Promise<string | undefined> {
  const message = await readMessage(wanted);
  if (!message) return undefined;
  const text = withoutMention(message.text ?? '', botUserId());
  return messageText({ ...message, text, blocks: null }, await readNames(unnamedPeople(text)));
}

/** What the masks in a request's prompt stand for. Masks are numbered in order, so the texts must be as they were. */
export async function readMasked(
  parts: ReadAgainParts,
  wanted: AgainMention,
  { prompt: sent }: Pick<RunRequest, 'prompt'>,
): Promise<Pick<AddedWords, 'secrets' | 'notices'>> {
  const { channelId, threadTs, ts } = wanted;
  const own = maskSecrets((await readAdded(parts, wanted)) ?? '');
  const masks = Object.keys(own.secrets).length;
  const { prompt, context } = splitPrompt(sent);
  const thread = context
    ? await parts.readThread({ channelId, threadTs, except: ts }, { masks })
    : { context: '', secrets: {} };
  const isAsItWas =
    !('closed' in thread) && own.text.endsWith(prompt) && thread.context.startsWith(context);
  if (!isAsItWas) return { secrets: {}, notices: [changed] };
  const all = Object.entries({ ...own.secrets, ...thread.secrets });
  // Of messages that came later nothing was sent.
  return { secrets: Object.fromEntries(all.filter(([mask]) => sent.includes(mask))), notices: [] };
}

const changed =
  '⚠️ The messages are not as they were, so I cannot put back what was masked. Write it below where the agent needs it.';
