/**
 * Renders Markdown of agents and people for pull request descriptions. Hosts act on text: GitLab runs `/ready`, hosts
 * close issues after `fixes #1`, and CI reads `[skip ci]`. The service writes with the operator's token, so such text
 * must have no effect. The text is parsed and rendered again with a list of allowed marks, and words with an effect
 * become code. Adding invisible characters to mentions isn't enough, because it misses quick actions, tags and titles.
 */

import { readableText } from 'base/readable-text';
import { Lexer, type Token, type Tokens } from 'marked';
import { hasClosingWord, inertCode } from './inert-text.ts';
import { inlineMarkdown, textMarkdown } from './inline-markdown.ts';

/** Max characters of one text. A description with two texts and a template stays below GitHub's limit of 65,536. */
const maxCharacters = 30_000;
const maxDepth = 8;
/** Max characters of a word. Longer words are split, because the parser takes quadratic time for one word. */
const maxWord = 1_000;

/**
 * Parses Markdown and renders only what is allowed: paragraphs, headings, lists, quotations, tables, code and emphasis.
 * HTML and links become text. Nothing in the result makes GitHub, GitLab, CI or an issue tracker act.
 */
export function hostMarkdown(text: string): string {
  const source = readableText(text).trim();
  let cut = source.slice(0, maxCharacters);
  for (;;) {
    const rendered = blocks(parse(cut), 0, '\n\n');
    const isWhole = cut.length === source.length;
    if (rendered.length <= maxCharacters) return isWhole ? rendered : `${rendered}\n\n…`;
    cut = cut.slice(0, Math.floor(cut.length / 2));
  }
}

function parse(source: string): Token[] {
  const text = source.replace(new RegExp(`\\S{${maxWord}}(?=\\S)`, 'g'), '$&\n');
  try {
    return new Lexer({ gfm: true }).lex(text);
  } catch (error) {
    // Show the source as text if the parser exceeds the stack, which takes thousands of nested quotations.
    if (!(error instanceof RangeError)) throw error;
    return [{ type: 'html', raw: text, text }];
  }
}

const blocks = (tokens: readonly Token[], depth: number, between: string): string =>
  tokens
    .map((token) => block(token as Tokens.Generic, depth))
    .filter((each) => each !== '')
    .join(between);

function block(token: Tokens.Generic, depth: number): string {
  if (depth > maxDepth) return textMarkdown(token.raw);
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    case 'paragraph':
    case 'text':
      return inlineMarkdown(token.tokens ?? [token]);
    case 'heading':
      return `${'#'.repeat(token['depth'])} ${oneLine(inlineMarkdown(token.tokens ?? []))}`;
    case 'code':
      return codeBlock(token['text'], token['lang'] ?? '');
    case 'blockquote':
      return prefixed(blocks(token.tokens ?? [], depth + 1, '\n\n'), '> ', '> ');
    case 'list':
      return list(token as Tokens.List, depth);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return '***';
    default:
      return textMarkdown(token.raw.trim());
  }
}

function list({ items, ordered, start, loose }: Tokens.List, depth: number): string {
  const between = loose ? '\n\n' : '\n';
  return items
    .map((item, index) => {
      const marker = ordered ? `${Math.min(Number(start) + index, 999_999_999)}. ` : '- ';
      const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
      const content = blocks(item.tokens, depth + 1, between);
      return prefixed(box + content, marker, ' '.repeat(marker.length));
    })
    .join(between);
}

const rules = { left: ':--', right: '--:', center: ':-:' } as const;

function table({ header, align, rows }: Tokens.Table): string {
  const cell = ({ tokens }: Tokens.TableCell) =>
    oneLine(inlineMarkdown(tokens)).replace(/(?<!\\)\|/g, '\\|');
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = align.map((side) => (side ? rules[side] : '---'));
  return [line(header.map(cell)), line(rule), ...rows.map((row) => line(row.map(cell)))].join('\n');
}

function codeBlock(text: string, lang: string): string {
  const code = inertCode(text);
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const language = /^[\w+.-]{1,30}$/.test(lang) && !hasClosingWord(lang) ? lang : '';
  return `${fence}${language}\n${code}\n${fence}`;
}

const oneLine = (text: string) => text.replace(/\s*\\?\n\s*/g, ' ').trim();

/** Prefixes each line. Trailing spaces are removed, so blank lines keep the `>` of a quotation but no indentation. */
const prefixed = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join('\n');
