import type { MarkdownBlock } from '@slack/types';
import { readableText } from 'base/readable-text';
import { notBlank, wordJoiner } from './escape-text.ts';
import { fitBlocks } from './markdown-blocks.ts';

/**
 * Limit for all markdown blocks of a message, in characters.
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
const markdownLimit = 12_000;

/** Max size of a text, in code points and in blocks after Slack has expanded the Markdown. */
export type MarkdownRoom = { characters: number; blocks: number };

/**
 * Renders an agent's Markdown. The text can be hostile, so the block mentions nobody, and shows the address of every
 * link.
 * @param room limits for the text; a longer one is cut at the end of a line
 * @param rest our own line, shown below a text that was cut
 */
export function agentMarkdown(
  text: string,
  room: MarkdownRoom,
  rest: string,
): { block: MarkdownBlock; isWhole: boolean } {
  const beginning = readableText(text.slice(0, 2 * markdownLimit)).trim();
  const harmless = [...withoutMentions(withPlainLinks(beginning))];
  const fitted = fitBlocks(harmless.slice(0, room.characters + 1).join(''), room.blocks);
  const points = [...fitted.text];
  const isShort = points.length <= room.characters;
  const isAll = text.length <= 2 * markdownLimit && harmless.length <= room.characters;
  if (isAll && isShort && fitted.isWhole)
    return { block: { type: 'markdown', text: notBlank(fitted.text) }, isWhole: true };
  const left = room.characters - rest.length - fenceRoom;
  const cut = points.length > left ? lastWholeLine(points.slice(0, left)) : fitted.text;
  return {
    block: { type: 'markdown', text: `${closed(cut)}\n\n${rest}` },
    isWhole: false,
  };
}

const longestEnd = 6;
/** Room for a closing fence and empty lines. */
const fenceRoom = longestEnd + 4;

/** Cuts a text at its last line end, unless less than half of the text would remain. */
function lastWholeLine(points: readonly string[]): string {
  const end = points.lastIndexOf('\n');
  return points.slice(0, end > points.length / 2 ? end : undefined).join('');
}

const fence = /^( {0,3})(`{3,}(?!.*`)|~{3,})/;
const maybeHtml = /^ {0,3}<[a-z!?/]/i;

/**
 * Yields each line of a Markdown text. `isCode` is true if the line is certainly code, and `open` is the fence that is
 * open after it. An indented fence ends with its list, and HTML can hide a fence. So no line after them is certain.
 */
function* linesOf(text: string) {
  let open: string | undefined;
  let isSure = true;
  for (const line of text.split('\n')) {
    const [, indent, mark] = fence.exec(line) ?? [];
    if (open === undefined && (indent || maybeHtml.test(line))) isSure = false;
    const isCode = isSure && (open !== undefined || mark !== undefined);
    if (open === undefined) open = mark;
    else if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
    yield { line, isCode, open };
  }
}

/** Closes a code fence that the cut left open. Ignores a fence that is longer than people write. */
function closed(text: string): string {
  const open = [...linesOf(text)].at(-1)?.open;
  return open === undefined || open.length > longestEnd ? text : `${text}\n${open}`;
}

const inlineLink = /!?\[([^[\]\n]*)\]\(([^()\n]*)\)/g;

/** Start of a link definition, also in a list or a quotation. */
const definition = /\]:(?=\s*(?:$|<|\/\/|www\.|[a-z][a-z0-9+.-]*:))/gi;

/** Turns `[text](address)` into `text (address)`, so that a link can't hide its address. */
const withPlainLinks = (text: string) =>
  [...linesOf(text)].map(({ line, isCode }) => (isCode ? line : plainLine(line))).join('\n');

/** Shows the address of each inline link. Adds word joiners, so that Slack doesn't read other links and definitions. */
const plainLine = (line: string) =>
  line
    .replace(inlineLink, plainLink)
    .replaceAll('](', `]${wordJoiner}(`)
    .replace(definition, `]${wordJoiner}:`);

function plainLink(_: string, text: string, target: string): string {
  const [address = ''] = target.trim().split(/\s/);
  const shown = address.replace(/^<|>$/g, '');
  return text === '' || text === shown ? shown : `${text} (${shown})`;
}

const withoutMentions = (text: string) =>
  text
    .replace(/<(?=[@#!]|[^<>|\n]*\|)/g, `<${wordJoiner}`)
    .replace(/@(?=channel|here|everyone)/gi, `@${wordJoiner}`);
