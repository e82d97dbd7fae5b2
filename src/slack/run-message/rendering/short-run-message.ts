import type { KnownBlock } from '@slack/types';
import { section } from '../../text/blocks.ts';
import { shorten } from '../../text/escape-text.ts';
import type { RunMessage } from './render-run-message.ts';

const textLimit = 300;

/** The message without its details, for when Slack refuses it as too long. */
export function shortRunMessage({ text, blocks }: RunMessage): RunMessage {
  const [header, state] = blocks;
  const words = state?.type === 'section' ? (state.text?.text ?? text) : text;
  const kept: (KnownBlock | undefined)[] = [
    header,
    section(shorten(words, textLimit)),
    section("Slack couldn't show the whole message. See Details."),
    blocks.findLast(({ type }) => type === 'actions'),
  ];
  return { text: shorten(text, textLimit), blocks: kept.filter((block) => block !== undefined) };
}
