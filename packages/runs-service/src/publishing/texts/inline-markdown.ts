/** Renders Markdown within a paragraph: emphasis, code and text. Everything else becomes text. */
import type { Token } from 'marked';
import { inertCode, isActing, isReference, withoutSkipTags } from './inert-text.ts';

/** Text that still has to be escaped, or finished Markdown. */
type Piece = { text: string } | { markdown: string };
type Mark = 'strong' | 'em' | 'del';

const signs: Record<Mark, string> = { strong: '**', em: '*', del: '~~' };
const isMark = (type: string): type is Mark => Object.hasOwn(signs, type);

/** Renders tokens as lines that don't start a list, heading, quotation or quick action. */
export const inlineMarkdown = (tokens: readonly Token[]): string =>
  safeLines(joined(tokens.flatMap((token) => piecesOf(token, []))));

/** Renders plain text as Markdown that shows the same text. */
export const textMarkdown = (text: string): string => safeLines(joined([{ text }]));

function piecesOf(token: Token, within: readonly Mark[]): Piece[] {
  const inner = (marks: readonly Mark[]) =>
    ('tokens' in token ? (token.tokens ?? []) : []).flatMap((each) => piecesOf(each, marks));
  if (isMark(token.type)) return marked(token.type, inner([...within, token.type]), within);
  switch (token.type) {
    case 'codespan':
      return [{ markdown: codeSpan(token['text']) }];
    case 'br':
      return [{ markdown: '\\\n' }];
    case 'checkbox':
      return [];
    case 'link':
      return withAddress(inner(within), token['href']);
    case 'image':
      return withAddress([{ text: token['text'] }], token['href']);
    case 'text':
      return token['tokens'] ? inner(within) : [{ text: withCharacters(token['text']) }];
    case 'escape':
      return [{ text: token['text'] }];
    default:
      return [{ text: token.raw }];
  }
}

function marked(mark: Mark, pieces: readonly Piece[], within: readonly Mark[]): Piece[] {
  const content = joined(pieces);
  // Don't nest a mark in itself, because `~~~~` would begin code.
  if (content.trim() === '' || within.includes(mark)) return [...pieces];
  const before = content.slice(0, content.length - content.trimStart().length);
  const after = content.slice(content.trimEnd().length);
  return [{ markdown: `${before}${signs[mark]}${content.trim()}${signs[mark]}${after}` }];
}

/** Adds the address to a link's text, so that the text can't suggest another target. Images aren't loaded. */
function withAddress(label: readonly Piece[], href: string): Piece[] {
  const address = href.replace(/^mailto:/, '');
  const isBare =
    label.length === 1 && label.every((each) => 'text' in each && each.text === address);
  return isBare ? [...label] : [...label, { text: ` (${address})` }];
}

const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', nbsp: ' ', amp: '&' };

/** Decodes entities with names. The parser decodes those with numbers. */
const withCharacters = (text: string) =>
  text.replace(/&(lt|gt|quot|nbsp|amp);/g, (whole, name: string) => characters[name] ?? whole);

/** Joins neighboring texts before words are checked, so that a mark can't hide a word by splitting it. */
function joined(pieces: readonly Piece[]): string {
  let markdown = '';
  let text = '';
  const add = (next: string) => {
    // Separate two neighboring code spans, because their backticks would join.
    if (markdown.endsWith('`') && next.startsWith('`')) markdown += ' ';
    markdown += next;
  };
  const last = { markdown: '' };
  for (const piece of [...pieces, last]) {
    if ('text' in piece) text += piece.text;
    else if (piece !== last && piece.markdown === '') continue;
    else {
      add(words(text));
      add(piece.markdown);
      text = '';
    }
  }
  return markdown;
}

const words = (text: string) =>
  withoutSkipTags(text)
    .split(/(\s+)/)
    .map((word, index) => (index % 2 === 1 ? word.replaceAll('\u00a0', ' ') : wordMarkdown(word)))
    .join('');

function wordMarkdown(word: string): string {
  const [, before = '', core = '', after = ''] =
    /^([("'[{]*)(.*?)([.,;!?)"'\]}]*)$/s.exec(word) ?? [];
  if (core.includes('://')) return escaped(before) + addressMarkdown(core) + escaped(after);
  if (!isActing(core)) return escaped(word);
  return escaped(before) + codeSpan(core) + escaped(after);
}

function addressMarkdown(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || isActing(address)) return codeSpan(address);
  // Also check the URL as a browser parses it, such as with a backslash read as a slash.
  if (isReference(address) || isReference(url.href)) return codeSpan(address);
  return `<${url.href.replace(/[<>|`\s]/g, encodeURIComponent)}>`;
}

const escaped = (text: string) =>
  text
    .replace(/[\\`*[\]|~$]/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\_')
    .replace(/&(?=[#\w])/g, '\\&')
    .replaceAll('<', '&lt;');

function codeSpan(text: string): string {
  const code = inertCode(text.replace(/\s*\n\s*/g, ' ')).trim();
  if (code === '') return '';
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  return `${fence}${pad}${code}${pad}${fence}`;
}

/**
 * Escapes the start of each line that would begin a block. The Markdown that this file produces never begins like that.
 */
const safeLines = (markdown: string) =>
  markdown
    .split('\n')
    .map((line) =>
      line
        .trimStart()
        .replace(/^(?:[#>+=-]|::)/, '\\$&')
        .replace(/^(\d{1,9})([.)])/, '$1\\$2'),
    )
    .join('\n');
