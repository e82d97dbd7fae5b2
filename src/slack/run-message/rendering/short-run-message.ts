import type { KnownBlock, RichTextBlock } from '@slack/types';
import { section } from '../../text/blocks.ts';
import { shorten, wordJoiner } from '../../text/escape-text.ts';
import type { RunMessage } from './render-run-message.ts';

const textLimit = 300;

const isRichText = ({ type }: KnownBlock) => type === 'rich_text';

/** The message with rich text that nobody sees, for when Slack wants to keep some. */
export const withRichText = ({ text, blocks }: RunMessage): RunMessage => ({
  text,
  blocks: [...blocks, emptyLine],
});

const emptyLine: RichTextBlock = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: wordJoiner }] }],
};

/** The message without its details, for when Slack refuses it as too long. */
export function shortRunMessage({ text, blocks }: RunMessage): RunMessage {
  const [header, state] = blocks;
  const words = state?.type === 'section' ? (state.text?.text ?? text) : text;
  const kept: (KnownBlock | undefined)[] = [
    header,
    section(shorten(words, textLimit)),
    section("Slack couldn't show the whole message. See Details."),
    blocks.findLast(({ type }) => type === 'actions'),
    blocks.find(isRichText),
  ];
  return { text: shorten(text, textLimit), blocks: kept.filter((block) => block !== undefined) };
}
