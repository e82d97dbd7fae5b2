import type { MarkdownBlock } from '@slack/types';
import { readableText } from 'base/readable-text';
import { notBlank, wordJoiner } from './escape-text.ts';
import { fitBlocks } from './markdown-blocks.ts';

/** All markdown blocks of one message together. https://docs.slack.dev/reference/block-kit/blocks/markdown-block */
const markdownLimit = 12_000;

/** In code points, and in blocks that Slack makes of them. */
export type MarkdownRoom = { characters: number; blocks: number };

/**
 * Markdown of an agent, which can be hostile: it mentions nobody, and every link shows its address.
 * @param room for the text; a longer one is cut at the end of a line
 * @param rest our own line below a text that was cut
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
/** For an end of code and empty lines. */
const fenceRoom = longestEnd + 4;

/** Up to the last line end, unless that leaves less than half. */
function lastWholeLine(points: readonly string[]): string {
  const end = points.lastIndexOf('\n');
  return points.slice(0, end > points.length / 2 ? end : undefined).join('');
}

const fence = /^( {0,3})(`{3,}(?!.*`)|~{3,})/;
const maybeHtml = /^ {0,3}<[a-z!?/]/i;

/**
 * Lines, which of them are surely code, and the mark that ends the code that a line leaves open. Code that begins behind
 * spaces ends with its list, and in HTML it doesn't begin, so nothing after them is sure.
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

/** Ends code that the cut left open, unless its mark is longer than any that people write. */
function closed(text: string): string {
  const open = [...linesOf(text)].at(-1)?.open;
  return open === undefined || open.length > longestEnd ? text : `${text}\n${open}`;
}

const inlineLink = /!?\[([^[\]\n]*)\]\(([^()\n]*)\)/g;

/** The address of a link that has its text elsewhere, in a list or a quotation too. */
const definition = /\]:(?=\s*(?:$|<|\/\/|www\.|[a-z][a-z0-9+.-]*:))/gi;

/** `[text](address)` becomes `text (address)`, so that a link can't pretend to lead elsewhere. */
const withPlainLinks = (text: string) =>
  [...linesOf(text)].map(({ line, isCode }) => (isCode ? line : plainLine(line))).join('\n');

/** What still looks like a link, or defines one, isn't read as one. */
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
