import type { KnownBlock } from '@slack/types';
import { quote, section, shorten } from '../text/blocks.ts';
import type { RunMessage } from './render-run-message.ts';

const textLimit = 300;

/** The same message in few words, for when Slack finds it too long: title, state, the first words, buttons. */
export function shortRunMessage({ text, blocks }: RunMessage): RunMessage {
  const [header, state] = blocks;
  const words = state?.type === 'section' ? (state.text?.text ?? text) : text;
  const kept: (KnownBlock | undefined)[] = [
    header,
    section(shorten(words, textLimit)),
    // Slack refuses an update that takes the last rich text out of a message (block_mismatch).
    quote('Slack did not take the whole message. See Details.', textLimit),
    blocks.findLast(({ type }) => type === 'actions'),
  ];
  return { text: shorten(text, textLimit), blocks: kept.filter((block) => block !== undefined) };
}
