/** What a mention is answered with when it starts no run at once: seen by the person alone. */
import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { endOfQuoted, messagesWords } from '../runs/prompt-context.ts';
import { boldTitle } from '../runs/run-title.ts';
import { maskedNotice } from '../secrets/mask-secrets.ts';
import { actions, button, codeBlock, section } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';

export const startFromThreadAction = 'mention:start-from-thread';
export const againWithThisAction = 'mention:again-with-this';
export const withSecretsAction = 'mention:with-secrets';

export type MentionAnswer = { text: string; blocks?: KnownBlock[] };

export const threadPrompt = 'Do what this thread asks.';

const threadMentionSchema = z.object({
  channelId: z.string(),
  threadTs: z.string(),
  ts: z.string(),
});
export type ThreadMention = z.infer<typeof threadMentionSchema>;

export const howToMention: MentionAnswer = {
  text: 'Tell me what to do after my name, for example `@agent count the TODO comments`. In a thread, my name alone asks for what the thread asks for. `/agent help` says more.',
};

export const fileAlone: MentionAnswer = {
  text: 'What shall the agent do with it? Write that in the thread of your file (in a channel, with my name): the file goes along.',
};

type Preview = { context: string; messages: number; left: number; masked: number };

const previewLimit = 800;

/** A mention without words: what would be sent is shown before anything is. */
export function askAboutThread(place: ThreadMention, preview: Preview): MentionAnswer {
  const { context, left, masked } = preview;
  const which = `${messagesWords(preview)}${left > 0 ? ' (the first and the newest)' : ''}`;
  const size = `${[...context].length.toLocaleString('en')} characters`;
  const [, sent] = secretWords(masked);
  const hidden = masked > 0 ? `${maskedNotice(masked)} A tick in the form sends ${sent}.` : '';
  const end = endOfQuoted(context, previewLimit);
  const shown = end === context ? 'This is all of it:' : 'This is how it ends:';
  const text = `Shall the agent do what this thread asks? It would get ${which}, ${size}.${hidden} ${shown}`;
  const start = button(startFromThreadAction, 'Start with this thread …', {
    value: JSON.stringify(place),
    style: 'primary',
  });
  return { text, blocks: [section(text), codeBlock(end, 1_000), actions([start])] };
}

const secretWords = (masked: number) =>
  masked === 1 ? (['it', 'it as it is'] as const) : (['them', 'them as they are'] as const);

/** @returns undefined for a value that is not ours */
export function readThreadMention(value: string | undefined): ThreadMention | undefined {
  try {
    return threadMentionSchema.safeParse(JSON.parse(value ?? '')).data;
  } catch {
    return undefined;
  }
}

/** @param closed why the thread can't be read, in mrkdwn */
export const closedThread = (closed: string): MentionAnswer => ({
  text: `${closed} Or write what to do after the app’s name.`,
});

export const nothingAsked: MentionAnswer = {
  text: 'These are options, but no words that say what to do. Write them after the options, for example `@agent env=web count the TODO comments`.',
};

export const startedWithoutThread = (closed: string): MentionAnswer => ({
  text: `⚠️ Started without the thread. ${closed}`,
});

export const passedOn = (title: string, masked: number): MentionAnswer => ({
  text: `Passed on to ${boldTitle(title, 100)}, which is still going.${maskedNotice(masked)}`,
});

export const notPassedOn = (title: string, code: string): MentionAnswer => ({
  text: `⚠️ ${failureSentence(code)} So I cannot say whether ${boldTitle(title, 100)} got your message. Mention me again to send it once more.`,
});

const againSchema = threadMentionSchema.extend({ requestId: z.string() });
/** A mention that wants more of a run, and the run. */
export type AgainMention = z.infer<typeof againSchema>;

/** The run goes on without what was masked: only a tick in the form sends that. */
export function startedWithout(masked: number, mention: AgainMention): MentionAnswer {
  const [needed, sent] = secretWords(masked);
  const text = `The run has begun.${maskedNotice(masked)} If the agent needs ${needed}, start again: a tick in the form sends ${sent}.`;
  const again = button(withSecretsAction, `Start again with ${needed} …`, {
    value: JSON.stringify(mention),
  });
  return { text, blocks: [section(text), actions([again])] };
}

/** The words go to no run by themselves: only the form starts one. */
export function offerAgain(title: string, mention: AgainMention, isLive: boolean): MentionAnswer {
  const name = boldTitle(title, 100);
  const why = isLive
    ? `${name} is still going, and its service takes no messages for it now.`
    : `${name} has ended.`;
  const text = `${why} Shall I run it again with what you wrote added? You can change everything first.`;
  const again = button(againWithThisAction, 'Run again with this …', {
    value: JSON.stringify(mention),
    style: 'primary',
  });
  return { text, blocks: [section(text), actions([again])] };
}

/** @returns undefined for a value that is not ours */
export function readAgainMention(value: string | undefined): AgainMention | undefined {
  try {
    return againSchema.safeParse(JSON.parse(value ?? '')).data;
  } catch {
    return undefined;
  }
}
