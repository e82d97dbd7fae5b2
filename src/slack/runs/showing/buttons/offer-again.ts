import type { KnownBlock } from '@slack/types';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import { actions, button, section } from '../../../text/blocks.ts';
import { boldTitle } from '../run-label.ts';

export const againWithThisAction = 'mention:again-with-this';

const againSchema = z.object({
  channelId: z.string(),
  threadTs: z.string(),
  ts: z.string(),
  requestId: z.string(),
});
/** Message that couldn't be sent to a run, and the run. */
export type AgainMessage = z.infer<typeof againSchema>;

/** Offers the author of a message to run an earlier run again with the message added. */
export function offerAgain(
  title: string,
  message: AgainMessage,
  isLive: boolean,
): { text: string; blocks: KnownBlock[] } {
  const state = isLive ? "is in progress but doesn't accept messages right now" : 'has ended';
  const text = `${boldTitle(title, 100)} ${state}. Start a new run that includes your message? You can edit it first.`;
  const again = button(againWithThisAction, 'Run again with message…', {
    value: JSON.stringify(message),
    style: 'primary',
  });
  return { text, blocks: [section(text), actions([again])] };
}

/** Returns undefined for a value of another button. */
export const readAgainMessage = (value: string | undefined): AgainMessage | undefined =>
  againSchema.safeParse(parseJson(value ?? '')).data;
