import { maskedNotice, maskSecrets } from 'base/secrets/mask-secrets';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { RequestFile } from '../../requests/origin.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { chooseFiles, filesLeftNotice } from '../files/message-files.ts';
import type { ReadNames } from '../people/people.ts';
import type { ReadPermalink } from '../posting/source-message.ts';
import type { DraftContext, OpenForm } from '../runs/acting/run-start.ts';
import type { ContextTexts } from '../runs/reading/context-texts.ts';
import { describeChosen } from '../runs/reading/prompt-context.ts';
import type { ThreadReader } from '../runs/reading/read-thread.ts';
import { escapeText } from '../text/escape-text.ts';
import { type SlackMessage, slackMessageSchema } from '../text/message-text.ts';
import { unnamedPeople } from '../text/typed-text.ts';

type Deps = {
  openForm: OpenForm;
  readThread: ThreadReader;
  readPermalink: ReadPermalink;
  readNames: ReadNames;
  texts: ContextTexts;
};

/** Registers *Run agent on message*, which opens the form with the message as the prompt and offers its thread. */
export function registerMessageShortcut(app: Listeners, deps: Deps): void {
  const { openForm, texts } = deps;
  app.shortcut('message-shortcut:run', async ({ shortcut, ack, client, context }) => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    // Use the message's own time if needed, because some Slack clients send `ts` only inside the message.
    const ts = shortcut.message_ts ?? shortcut.message.ts;
    const message = slackMessageSchema.parse({ ...shortcut.message, ts });
    const channelId = shortcut.channel.id;
    const userId = shortcut.user.id;
    const names = await namesIn(deps, message);
    const textOf = await texts.read({ channelId, userId }, [message], names);
    const { text, masked } = maskSecrets(textOf.get(ts) ?? '');
    const asker = { teamId: context.teamId ?? '', userId, channelId };
    const chosen = chooseFiles(texts.isOurs(message) ? [] : [message]);
    const draft = {
      channelId,
      prompt: text,
      typed: {},
      files: chosen.files,
      notices: [noticeOf(message, masked), ...filesLeftNotice(chosen)],
      origin: {
        kind: 'message' as const,
        threadTs: message.thread_ts ?? message.ts,
        source: { channelId, ts: message.ts },
      },
    };
    const later = () =>
      loadContext(deps, { channelId, userId, message, files: chosen.files }, masked);
    await openForm(client, { triggerId: shortcut.trigger_id, asker }, draft, later);
  });
}

/** Reads the names of mentioned people with a short timeout, because a trigger expires after three seconds. */
async function namesIn({ readNames }: Deps, { text }: SlackMessage) {
  const ids = unnamedPeople(text ?? '');
  return ids.length > 0 ? await withSoftTimeout(readNames(ids), namesTimeoutMs) : undefined;
}

const namesTimeoutMs = 500;

function noticeOf(message: SlackMessage, masked: number): string {
  const author = message.user ? `<@${message.user}>` : escapeText(message.username ?? 'a bot', 80);
  const hint = masked > 0 ? ' If the agent needs it, type it in.' : '';
  return `From a message by ${author}. You can edit the text.${maskedNotice(masked)}${hint}`;
}

type Source = {
  channelId: string;
  userId: string;
  message: SlackMessage;
  files: readonly RequestFile[];
};

/** Reads the permalink, the thread and its preview from Slack. */
async function loadContext(
  { readThread, readPermalink }: Deps,
  { channelId, userId, message, files: own }: Source,
  masks: number,
): Promise<DraftContext> {
  const [permalink, thread] = await Promise.all([
    readPermalink({ channelId, ts: message.ts }),
    message.thread_ts
      ? readThread(
          { channelId, userId, threadTs: message.thread_ts, except: message.ts },
          { masks },
        )
      : undefined,
  ]);
  const nothing = { context: '', messages: 0, permalink };
  if (!thread) return { ...nothing, notices: [] };
  if ('closed' in thread)
    return { ...nothing, notices: [`⚠️ Only this message is sent. ${thread.closed}`] };
  const { context, messages, left, masked } = thread;
  const chosen = chooseFiles(thread.withFiles, own);
  const last = context.split('\n').at(-1)?.replace(/^> /, '') ?? '';
  const count = messages + left;
  const others = `${count} other ${count === 1 ? 'message' : 'messages'}`;
  const cut = left > 0 ? ` Only ${messages} fit: ${describeChosen(messages)}.` : '';
  const preview = `The thread has ${others}. The last one: "${escapeText(last, 100)}".${cut}`;
  const notices = messages > 0 ? [preview + maskedNotice(masked), ...filesLeftNotice(chosen)] : [];
  return { context, messages, left, files: chosen.files, permalink, notices };
}
