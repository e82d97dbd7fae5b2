import type { KnownBlock, RichTextBlock } from '@slack/types';
import { section } from '../text/blocks.ts';
import { escapeText, shorten, wordJoiner } from '../text/escape-text.ts';
import { plainPlan } from './render-plan.ts';
import type { RunMessage } from './render-run-message.ts';

/** Returns the message without the newer kinds of blocks, which Slack rejects in some workspaces. */
export const plainRunMessage = ({ text, blocks }: RunMessage): RunMessage => ({
  text,
  blocks: blocks.map((block) => (block.type === 'plan' ? plainPlan(block) : block)),
});

/** Returns true if the message has a plan, the only newer kind of block. */
export const hasNewBlock = ({ blocks }: RunMessage): boolean =>
  blocks.some(({ type }) => type === 'plan');

const textLimit = 300;
const answerLimit = 600;

const isRichText = ({ type }: KnownBlock) => type === 'rich_text';

/**
 * Adds invisible rich text to the message. Slack rejects an update that removes a message's last rich text
 * (`block_mismatch`).
 */
export const withRichText = ({ text, blocks }: RunMessage): RunMessage => ({
  text,
  blocks: [...blocks, emptyLine],
});

const emptyLine: RichTextBlock = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: wordJoiner }] }],
};

/**
 * Returns a short message for when Slack rejects the whole one: the title, the state, the answer's beginning and the
 * buttons.
 */
export function shortRunMessage({ text, blocks }: RunMessage): RunMessage {
  const [header, state] = blocks;
  const stateText = state?.type === 'section' ? (state.text?.text ?? text) : text;
  const answer = blocks.find(({ type }) => type === 'markdown');
  const kept: (KnownBlock | undefined)[] = [
    header,
    section(shorten(stateText, textLimit)),
    // Show the answer in a section, because its Markdown may be the reason for the rejection.
    answer?.type === 'markdown' ? section(escapeText(answer.text, answerLimit)) : undefined,
    section("Slack couldn't show the whole message. See Details."),
    blocks.findLast(({ type }) => type === 'actions'),
    blocks.find(isRichText),
  ];
  return { text: shorten(text, textLimit), blocks: kept.filter((block) => block !== undefined) };
}
