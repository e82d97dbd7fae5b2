import type { KnownBlock, RichTextBlock } from '@slack/types';
import { section } from '../text/blocks.ts';
import { shorten, wordJoiner } from '../text/escape-text.ts';
import { plainPlan } from './render-plan.ts';
import type { RunMessage } from './render-run-message.ts';

/** The message without the newer kinds of blocks, which Slack may refuse in a workspace. */
export const plainRunMessage = ({ text, blocks }: RunMessage): RunMessage => ({
  text,
  blocks: blocks.flatMap(plainBlock),
});

/** There is one at most: a plan while the run goes on, feedback when it has ended. */
export const newBlockIn = ({ blocks }: RunMessage): string | undefined =>
  blocks.find(({ type }) => type === 'plan' || type === 'context_actions')?.type;

/** Feedback has no plain form: two more buttons would take the place of the useful ones. */
function plainBlock(block: KnownBlock): KnownBlock[] {
  if (block.type === 'context_actions') return [];
  return [block.type === 'plan' ? plainPlan(block) : block];
}

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
