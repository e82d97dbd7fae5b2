/** Renders rich text, which has no markup, so nothing needs escaping. */
import type {
  ContextBlock,
  RichTextBlock,
  RichTextLink,
  RichTextText,
  SectionBlock,
} from '@slack/types';
import { context, plain } from './blocks.ts';
import { limits, notBlank, safeUrl, shorten } from './escape-text.ts';

/** Entry of a list, with a word and a link. */
export type ListedLink = { word: string; label: string; url: string | undefined };

/** Max length of an address that is linked in a list. Twenty longer ones would fill a message. */
const listedUrlLimit = 300;
const labelLimit = 100;

export function linkList(entries: readonly ListedLink[]): RichTextBlock {
  const lines = entries.map((entry) => [
    words(`${shorten(entry.word, labelLimit)}: `),
    renderLabel(entry),
  ]);
  return {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: lines.map((elements) => ({ type: 'rich_text_section' as const, elements })),
      },
    ],
  };
}

function renderLabel({ label, url }: ListedLink): RichTextLink | RichTextText {
  const text = shorten(label.trim(), labelLimit) || 'unnamed';
  const target = safeUrl(url);
  return target && target.length <= listedUrlLimit
    ? { type: 'link', url: target, text }
    : words(text);
}

const words = (text: string): RichTextText => ({ type: 'text', text });

export const codeBlock = (text: string, limit: number): RichTextBlock => ({
  type: 'rich_text',
  elements: [preformatted(text, limit)],
});

/**
 * Renders a part of a diff, which Slack shows in color. Slack's types lack the `language` field.
 * https://docs.slack.dev/reference/block-kit/block-elements/rich-text-preformatted-element
 */
export function diffBlock(text: string): RichTextBlock {
  const element = { ...preformatted(text, limits.text), language: 'diff' };
  return { type: 'rich_text', elements: [element] };
}

const preformatted = (text: string, limit: number) => ({
  type: 'rich_text_preformatted' as const,
  elements: [{ type: 'text' as const, text: notBlank(shorten(text, limit)) }],
});

/** Max characters of one element. Slack accepts 3,000, and this leaves room for an ellipsis. */
const pieceLimit = 2_900;

/** Renders a long text to copy, in at most `most` blocks. The last line counts the characters that don't fit. */
export function codeBlocks(text: string, most: number): (RichTextBlock | ContextBlock)[] {
  return inPieces(text, most, (piece) => codeBlock(piece, pieceLimit));
}

/** Renders a long text to read, in at most `most` blocks. */
export const plainTexts = (text: string, most: number): (SectionBlock | ContextBlock)[] =>
  inPieces(text, most, (piece) => ({ type: 'section', text: plain(piece, limits.text) }));

/** Matches characters that JavaScript counts as two. */
const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

function inPieces<Block>(text: string, most: number, blockOf: (piece: string) => Block) {
  const length = text.length - (text.match(pairs)?.length ?? 0);
  const count = Math.min(most, Math.max(1, Math.ceil(length / pieceLimit)));
  const left = length - count * pieceLimit;
  // Split only the beginning, because an agent can write millions of characters.
  const points = [...text.slice(0, 2 * count * pieceLimit)];
  const pieces = Array.from({ length: count }, (_, index) =>
    points.slice(index * pieceLimit, (index + 1) * pieceLimit).join(''),
  );
  const rest = `… and ${left.toLocaleString('en-US')} more characters that don't fit in Slack.`;
  return [...pieces.map(blockOf), ...(left > 0 ? [context(rest)] : [])];
}
