import { readableText } from 'base/readable-text';
import { shorten as cutText } from 'base/shorten';

const ellipsis = '…';

/**
 * Returns readable text, cut to `limit` code points with an ellipsis. All text in Slack goes through here or
 * `escapeText`.
 */
export const shorten = (text: string, limit: number): string => readableText(cutText(text, limit));

/** Invisible character that keeps Slack from reading a mention, a link or a table. */
export const wordJoiner = '\u2060';

/** Replaces a blank text with an invisible character. Slack rejects an empty text, and may reject one of blanks. */
export const notBlank = (text: string): string => (text.trim() === '' ? wordJoiner : text);

const textLine = /^(?![^\S\n]*(?:`{3,}|~{3,})[\w-]*[^\S\n]*$)[^\n]*\S[^\n]*$/m;

/** Returns the first line that isn't blank. Skips a code fence if there's another line. */
export const firstLine = (text: string): string =>
  (textLine.exec(text) ?? /\S[^\n]*/.exec(text))?.[0].trim() ?? '';

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Prepares text of a person or a service for a mrkdwn field. Mentions, links and entities in it have no effect. The
 * escaped form fits `limit` and cuts no entity in half. Only the beginning of a long text is read.
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

/** Returns a text as inline code, without backticks and line breaks, which it can't contain. */
export function code(text: string, limit: number): string {
  const flat = text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ').trim();
  return flat ? `\`${escapeText(flat, limit)}\`` : '(empty)';
}

/** Slack's limits in code points. https://docs.slack.dev/reference/block-kit/blocks */
export const limits = {
  text: 3_000,
  header: 150,
  buttonText: 75,
  url: 3_000,
  /** Max length of an address linked in a line. */
  linkedUrl: 500,
  inputLabel: 2_000,
  inputValue: 3_000,
  /** Max length of a message's text. `chat.update` rejects more. */
  messageText: 4_000,
} as const;

/** Returns a link in mrkdwn, or nothing for an address that is invalid or too long for a line. */
export function link(address: string | null | undefined, label: string): string {
  const url = safeUrl(address);
  if (!url || url.length > limits.linkedUrl) return '';
  // Encode bars, because Slack reads them as the end of the address.
  return `<${escapeText(url.replaceAll('|', '%7C'))}|${escapeText(label, 100)}>`;
}

/** Returns an http or https address for a button, if it's short enough for Slack when encoded. */
export function safeUrl(text: string | null | undefined): string | undefined {
  if (!text || text.length > limits.url || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= limits.url ? href : undefined;
}
