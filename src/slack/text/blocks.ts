/** Builders for Block Kit. They make user text readable, escape it, and fit it to Slack's limits. */
import type {
  ActionsBlock,
  Button,
  ContextBlock,
  HeaderBlock,
  InputBlock,
  KnownBlock,
  ModalView,
  PlainTextElement,
  PlainTextInput,
  RichTextBlock,
  SectionBlock,
} from '@slack/types';

import { readableText } from '../../lib/readable-text.ts';
import { shorten as cutText } from '../../lib/shorten.ts';

/** In code points, as Slack counts. https://docs.slack.dev/reference/block-kit/blocks */
export const limits = {
  text: 3_000,
  header: 150,
  buttonText: 75,
  url: 3_000,
  /** Of a link in a line. */
  linkedUrl: 500,
  inputLabel: 2_000,
  inputValue: 3_000,
  /** `chat.update` refuses more. */
  messageText: 4_000,
} as const;

const ellipsis = '…';

/** Readable text, cut to `limit` code points with an ellipsis. All text in Slack goes through here or `escapeText`. */
export const shorten = (text: string, limit: number): string => readableText(cutText(text, limit));

/** The first line that isn't blank. */
export const firstLine = (text: string): string => /\S[^\n]*/.exec(text)?.[0].trimEnd() ?? '';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Readable text of a person or a service for a mrkdwn field: mentions, links and entities in it have no effect. The
 * escaped form fits `limit`, and no entity is cut in half. Only the beginning of a long text is read.
 */
export function escapeText(text: string, limit: number = limits.text): string {
  let escaped = '';
  let length = 0;
  const beginning = text.slice(0, 2 * limit);
  for (const point of readableText(beginning)) {
    const piece = entities[point] ?? point;
    if (length + piece.length > limit - 1) return escaped + ellipsis;
    escaped += piece;
    length += piece === point ? 1 : piece.length;
  }
  return beginning.length < text.length ? escaped + ellipsis : escaped;
}

/** Inline code can't contain a backtick or a line break. */
export function code(text: string, limit: number): string {
  const flat = text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ').trim();
  return flat ? `\`${escapeText(flat, limit)}\`` : '(empty)';
}

export const plain = (text: string, limit: number): PlainTextElement => ({
  type: 'plain_text',
  text: shorten(text, limit) || ' ',
  emoji: false,
});

/** @param mrkdwn our own markup, with user text already escaped */
export const section = (mrkdwn: string, accessory?: Button): SectionBlock => ({
  type: 'section',
  text: { type: 'mrkdwn', text: shorten(mrkdwn, limits.text), verbatim: true },
  ...(accessory && { accessory }),
});

export const context = (mrkdwn: string): ContextBlock => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text: shorten(mrkdwn, limits.text), verbatim: true }],
});

export const header = (text: string): HeaderBlock => ({
  type: 'header',
  text: plain(text, limits.header),
});

/** Rich text has no markup, so nothing needs escaping. */
export const codeBlock = (text: string, limit: number): RichTextBlock => ({
  type: 'rich_text',
  elements: [preformatted(text, limit)],
});

/**
 * A part of a diff, which Slack colors. Its types lack `language`.
 * https://docs.slack.dev/reference/block-kit/block-elements/rich-text-preformatted-element
 */
export function diffBlock(text: string): RichTextBlock {
  const element = { ...preformatted(text, limits.text), language: 'diff' };
  return { type: 'rich_text', elements: [element] };
}

const preformatted = (text: string, limit: number) => ({
  type: 'rich_text_preformatted' as const,
  elements: [{ type: 'text' as const, text: shorten(text, limit) || ' ' }],
});

/** A rich text element takes 3,000 characters. This leaves room for an ellipsis. */
const pieceLimit = 2_900;

/** A long text to copy, in at most so many blocks. The last line counts the characters that don't fit. */
export function codeBlocks(text: string, most: number): (RichTextBlock | ContextBlock)[] {
  return inPieces(text, most, (piece) => codeBlock(piece, pieceLimit));
}

/** The same as text to read. */
export const plainTexts = (text: string, most: number): (SectionBlock | ContextBlock)[] =>
  inPieces(text, most, (piece) => ({ type: 'section', text: plain(piece, limits.text) }));

/** Code points of two UTF-16 units. */
const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

function inPieces<Block>(text: string, most: number, blockOf: (piece: string) => Block) {
  const length = text.length - (text.match(pairs)?.length ?? 0);
  const count = Math.min(most, Math.max(1, Math.ceil(length / pieceLimit)));
  const left = length - count * pieceLimit;
  // Millions of characters can come from an agent. A code point has at most two UTF-16 units.
  const points = [...text.slice(0, 2 * count * pieceLimit)];
  const pieces = Array.from({ length: count }, (_, index) =>
    points.slice(index * pieceLimit, (index + 1) * pieceLimit).join(''),
  );
  const rest = `… and ${left.toLocaleString('en-US')} more characters that don't fit in Slack.`;
  return [...pieces.map(blockOf), ...(left > 0 ? [context(rest)] : [])];
}

export const actions = (elements: Button[]): ActionsBlock => ({ type: 'actions', elements });

type ButtonOptions = Pick<Button, 'style' | 'url' | 'value' | 'confirm'>;

export const button = (actionId: string, text: string, options: ButtonOptions = {}): Button => ({
  type: 'button',
  action_id: actionId,
  text: plain(text, limits.buttonText),
  ...options,
});

/** What Slack asks before a click counts. */
export const confirmation = (title: string, text: string, confirm: string, deny: string) => ({
  title: plain(title, 100),
  text: plain(text, 300),
  confirm: plain(confirm, 30),
  deny: plain(deny, 30),
});

/** The same for what can't be undone. */
export const dangerConfirmation = (...words: Parameters<typeof confirmation>) => ({
  ...confirmation(...words),
  style: 'danger' as const,
});

type Modal = {
  title: string;
  callbackId?: string;
  /** Read it back with `readViewMetadata`. */
  metadata?: object;
  /** Without it, nothing is submitted. */
  submit?: string;
  close?: string;
  blocks: KnownBlock[];
};

export const modal = ({ title, callbackId, metadata, blocks, ...buttons }: Modal): ModalView => ({
  type: 'modal',
  ...(callbackId && { callback_id: callbackId }),
  ...(metadata && { private_metadata: JSON.stringify(metadata) }),
  title: plain(title, 24),
  ...(buttons.submit && { submit: plain(buttons.submit, 24) }),
  close: plain(buttons.close ?? (buttons.submit ? 'Cancel' : 'Close'), 24),
  blocks,
});

export type Labeled = {
  blockId: string;
  label: string;
  hint?: string | undefined;
  optional?: boolean;
};

export const input = (labeled: Labeled, element: InputBlock['element']): InputBlock => ({
  type: 'input',
  block_id: labeled.blockId,
  label: plain(labeled.label, limits.inputLabel),
  ...(labeled.hint && { hint: plain(labeled.hint, limits.inputLabel) }),
  optional: labeled.optional ?? false,
  element,
});

export type TextInputOptions = Labeled & {
  value?: string | undefined;
  placeholder?: string;
  multiline?: boolean;
  maxLength?: number;
};

/** The value arrives in `state.values[blockId].value.value`. */
export function textInput(options: TextInputOptions): InputBlock {
  const maxLength = options.maxLength ?? limits.inputValue;
  const value = readableText([...(options.value ?? '')].slice(0, maxLength).join(''));
  const element: PlainTextInput = {
    type: 'plain_text_input',
    action_id: 'value',
    max_length: maxLength,
    multiline: options.multiline ?? false,
    ...(value && { initial_value: value }),
    ...(options.placeholder && { placeholder: plain(options.placeholder, 150) }),
  };
  return input(options, element);
}

/** Slack renders the time in the reader's time zone, so the message needs no updates as time passes. */
function date(epochMs: number, format: string): string {
  const fallback = new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ');
  return `<!date^${Math.floor(epochMs / 1000)}^${format}|${fallback} UTC>`;
}

export const time = (epochMs: number) => date(epochMs, '{date_short_pretty} at {time}');

/** How long ago. Slack keeps it up to date. */
export const ago = (epochMs: number) => date(epochMs, '{ago}');

/** For something that goes on: when it began, which stays true where Slack doesn't keep the rest up to date. */
export const hourAndAgo = (epochMs: number) => date(epochMs, '{time} ({ago})');

/** The time without the date, for an event soon after another one. */
export const hour = (epochMs: number) => date(epochMs, '{time}');

/** A link in mrkdwn; empty for an invalid address or one that is too long for a line. */
export function link(address: string | null | undefined, label: string): string {
  const url = safeUrl(address);
  if (!url || url.length > limits.linkedUrl) return '';
  // A bar would end the address.
  return `<${escapeText(url.replaceAll('|', '%7C'))}|${escapeText(label, 100)}>`;
}

/** A link for a button: http or https, and short enough for Slack when encoded. */
export function safeUrl(text: string | null | undefined): string | undefined {
  if (!text || text.length > limits.url || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= limits.url ? href : undefined;
}
