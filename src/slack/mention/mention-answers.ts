/** Renders answers to a mention that only its author sees. */
import type { KnownBlock } from '@slack/types';
import { parseJson } from 'base/parse-json';
import { maskedNotice } from 'base/secrets/mask-secrets';
import { z } from 'zod';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { alreadyEnded } from '../runs/acting/cancel-run.ts';
import {
  describeKept,
  describeMessageCount,
  lastQuotedMessages,
} from '../runs/reading/prompt-context.ts';
import { boldTitle } from '../runs/showing/run-label.ts';
import { actions, button, section } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';
import { codeBlock } from '../text/rich-text.ts';

export const startFromThreadAction = 'mention:start-from-thread';

export type MentionAnswer = { text: string; blocks?: KnownBlock[] };

export const threadPrompt = 'Do what this thread asks.';

const threadMentionSchema = z.object({
  channelId: z.string(),
  threadTs: z.string(),
  ts: z.string(),
});
type ThreadMention = z.infer<typeof threadMentionSchema>;

export const howToMention: MentionAnswer = {
  text: 'Type a prompt after `@agent`, for example `@agent count the TODO comments`. To start a run from a thread, type only `@agent` in the thread. `/agent help` shows more.',
};

export const fileAlone: MentionAnswer = {
  text: "What should the agent do with this file? Type a prompt in the file's thread. In a channel, begin it with `@agent`.",
};

/** Renders the answer to "stop" if no run is active. Nobody wants to start a run with that prompt. */
export function nothingToCancel(
  { threadTs }: { threadTs?: string | undefined },
  ended: object | undefined,
): MentionAnswer {
  if (ended) return { text: alreadyEnded };
  return { text: threadTs ? noneActive : howToCancel };
}

const noneActive = 'No run is active in this thread, so nothing was canceled.';
const howToCancel =
  'To cancel a run, type `@agent stop` in its thread, or select *Cancel* on its message.';

type Preview = { context: string; messages: number; left: number; masked: number };

const previewLimit = 800;

/**
 * Renders the answer to a mention without text. The answer offers to start a run with the thread, and shows what would
 * be sent.
 */
export function askAboutThread(place: ThreadMention, preview: Preview): MentionAnswer {
  const { context, messages, left, masked } = preview;
  const which = `${describeMessageCount(preview)}${left > 0 ? ` (${describeKept(messages)})` : ''}`;
  const size = `${[...context].length.toLocaleString('en')} characters`;
  const hidden = masked > 0 ? maskedNotice(masked) : '';
  const end = lastQuotedMessages(context, previewLimit);
  const shown = end === context ? 'Full text:' : 'It ends with:';
  const text = `Start a run with this thread? The agent gets ${which}, ${size}.${hidden} ${shown}`;
  const start = button(startFromThreadAction, 'Start with thread…', {
    value: JSON.stringify(place),
    style: 'primary',
  });
  return { text, blocks: [section(text), codeBlock(end, 1_000), actions([start])] };
}

/** Reads the value of the *Start with thread…* button. Returns undefined if it's unreadable. */
export const readThreadMention = (value: string): ThreadMention | undefined =>
  threadMentionSchema.safeParse(parseJson(value)).data;

/**
 * Renders the answer if the thread can't be read.
 * @param closed the reason, in mrkdwn
 */
export const closedThread = (closed: string): MentionAnswer => ({
  text: `${closed} You can also type a prompt after \`@agent\`.`,
});

export const startedWithoutThread = (closed: string): string =>
  `⚠️ Started without the thread. ${closed}`;

export const startedMasked = (masked: number): string =>
  `Run started.${maskedNotice(masked)} If the agent needs a secret, start the run from the \`/agent\` form.`;

export const passedOn = (title: string, masked: number): MentionAnswer => ({
  text: `Sent to ${boldTitle(title, 100)}, which is in progress.${maskedNotice(masked)}`,
});

export const notPassedOn = (
  { title, connectionId }: Pick<RunRequest, 'title' | 'connectionId'>,
  code: string,
): MentionAnswer => ({
  text: `⚠️ ${failureSentence(code, connectionId)} ${boldTitle(title, 100)} may not have received your message. Mention the app again to resend it.`,
});
