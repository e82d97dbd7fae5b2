import type { WebClient } from '@slack/web-api';
import { maskSecrets } from 'base/secrets/mask-secrets';
import type { ReadNames } from '../../people/people.ts';
import { readSlackFailure, type SlackFailure } from '../../posting/slack-failure.ts';
import { type SlackMessage, slackMessageSchema } from '../../text/message-text.ts';
import { unnamedPeople } from '../../text/typed-text.ts';
import type { ContextPlace, ContextTexts } from './context-texts.ts';
import { quoteThread } from './prompt-context.ts';

type ThreadPlace = ContextPlace & {
  threadTs: string;
  /** Timestamp of a message to leave out. */
  except?: string;
};

/** Thread as quoted text. `left` counts messages that didn't fit, `masked` counts secrets. */
type ReadThread = {
  context: string;
  messages: number;
  left: number;
  masked: number;
  /** Messages with files, newest first. */
  withFiles: Pick<SlackMessage, 'files'>[];
};

export type ThreadReader = (
  place: ThreadPlace,
  options?: { masks?: number },
) => Promise<ReadThread | ClosedThread>;

/** `closed` says why the thread can't be read and what helps, in mrkdwn. */
type ClosedThread = { closed: string };

const pageSize = 200;
/** Max pages to read of a thread. Slack returns the oldest messages first, so the newest are on the last page. */
const maxPages = 25;

export function createThreadReader(
  client: WebClient,
  readNames: ReadNames,
  texts: ContextTexts,
): ThreadReader {
  /**
   * Reads all messages of a thread. Returns undefined if it has too many pages, because the newest messages would be
   * missing.
   */
  async function load({ channelId, threadTs }: ThreadPlace): Promise<SlackMessage[] | undefined> {
    const messages: SlackMessage[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await client.conversations.replies({
        channel: channelId,
        ts: threadTs,
        limit: pageSize,
        ...(cursor && { cursor }),
      });
      messages.push(...(answer.messages ?? []).flatMap(readMessage));
      cursor = answer.response_metadata?.next_cursor || undefined;
      if (!cursor) return messages;
    }
    return undefined;
  }

  return async (place, { masks = 0 } = {}) => {
    try {
      const all = await load(place);
      if (!all) return { closed: 'This thread is too long to read.' };
      const others = all.filter(({ ts }) => ts !== place.except);
      const ids = others.flatMap((message) => [
        ...(message.user ? [message.user] : []),
        ...unnamedPeople(message.text ?? ''),
      ]);
      const names = await readNames(ids);
      const textOf = await texts.read(place, all, names);
      const quoted = quoteThread(
        others.flatMap((message) => {
          const text = textOf.get(message.ts);
          const author = authorOf(message, names);
          return text ? [{ author, sentAt: sentAt(message.ts), text }] : [];
        }),
      );
      const { text: context, masked } = maskSecrets(quoted.text, masks);
      const withFiles = others
        .filter((message) => message.files && !texts.isOurs(message))
        .map(({ files }) => ({ files }));
      const { messages, left } = quoted;
      return { context, messages, left, masked, withFiles: withFiles.toReversed() };
    } catch (error) {
      return { closed: whyClosed(readSlackFailure(error)) };
    }
  };
}

const inGroup = "Apps can't join an existing group DM: start a new one that includes the app.";

/** Returns why the thread can't be read and what helps: asking an admin, another try, or an invitation. */
function whyClosed({ outcome, reason }: SlackFailure): string {
  if (reason === 'missing_scope')
    return "The app doesn't have permission to read this thread. Ask an admin to update its manifest and reinstall it.";
  if (outcome === 'later') return "Slack didn't return this thread. Try again in a minute.";
  const invite = "The app can't read this thread. Type `/invite @agent` here.";
  // Mention group DMs as a possible cause, unless Slack says `not_in_channel`. Only public channels have that error,
  // because Slack hides private ones.
  return reason === 'not_in_channel' ? invite : `${invite} ${inGroup}`;
}

/** Reads the current version of a message in a thread. Undefined if it can't be read. */
export type ReadMessage = (place: {
  channelId: string;
  threadTs: string;
  ts: string;
}) => Promise<SlackMessage | undefined>;

/** Creates a reader of messages. With `isPatient`, it throws temporary failures. */
export function createMessageReader(
  client: WebClient,
  { isPatient = false }: { isPatient?: boolean } = {},
): ReadMessage {
  return async ({ channelId, threadTs, ts }) => {
    try {
      const only = { oldest: ts, latest: ts, inclusive: true, limit: 2 };
      const answer = await client.conversations.replies({
        channel: channelId,
        ts: threadTs,
        ...only,
      });
      // Find the reply by its time, because Slack always returns the first message of the thread as well.
      return (answer.messages ?? []).flatMap(readMessage).find((message) => message.ts === ts);
    } catch (error) {
      if (readSlackFailure(error).outcome === 'later' && isPatient) throw error;
      return undefined;
    }
  };
}

const readMessage = (message: unknown): SlackMessage[] => {
  const { data } = slackMessageSchema.safeParse(message);
  return data ? [data] : [];
};

export function authorOf(message: SlackMessage, names: ReadonlyMap<string, string>): string {
  const { user, username, bot_profile: bot } = message;
  return username || bot?.name || (user && (names.get(user) ?? user)) || 'someone';
}

export const sentAt = (ts: string) =>
  Number.isFinite(Number(ts))
    ? `${new Date(Number(ts) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : ts;
