import { Lexer, type MarkedToken, type Tokens } from 'marked';
import { wordJoiner } from './escape-text.ts';
import { limits } from './slack-limits.ts';

/** Slack refuses a message with a larger table, or a second one. */
const tableLimits = { rows: 100, columns: 20 } as const;

/**
 * The beginning of a Markdown text of which Slack makes at most so many blocks. Slack expands one `markdown` block into a
 * block for each heading, rule, table, code, list, quotation and paragraph, and refuses a message with more than 50, or
 * with a second table. So the first table stays one, and others become code.
 * @returns `isWhole` is false if the text was cut; the reply then adds the whole answer as a file
 */
export function fitBlocks(text: string, most: number): { text: string; isWhole: boolean } {
  let shown = '';
  let blocks = 0;
  let hasTable = false;
  const tokens = new Lexer().blockTokens(withoutExcess(text)) as MarkedToken[];
  for (const token of tokens) {
    const isTable: boolean = token.type === 'table' && !hasTable && fitsTable(token);
    const written = isTable ? token.raw : writtenAs(token);
    if (token.type !== 'space' && written.trim() !== '') {
      if (blocks === most) return { text: shown.trimEnd(), isWhole: false };
      blocks += 1;
    }
    hasTable ||= isTable;
    shown += written;
  }
  return { text: shown, isWhole: true };
}

const fitsTable = ({ rows, header }: Tokens.Table) =>
  rows.length < tableLimits.rows && header.length <= tableLimits.columns;

function writtenAs(token: MarkedToken): string {
  switch (token.type) {
    case 'table':
      return tableAsCode(token);
    case 'list':
    case 'blockquote':
      return withoutTables(token.raw);
    case 'heading': {
      const isShown = token.text.trim() !== '' && token.text.length <= limits.header;
      const end = endOf(token.raw);
      if (isShown) return token.raw;
      // Behind it, what the text begins with, such as a code fence, is only text.
      const begin = token.text.trim() === '' ? '' : wordJoiner;
      return `${begin}${token.text}${end === '\n' ? '\n\n' : end}`;
    }
    default:
      return token.raw;
  }
}

const endOf = (raw: string): string => raw.slice(raw.trimEnd().length);

const mostPadded = 40;

/** Cells below each other, as far as they're short. */
function tableAsCode({ header, rows, raw }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) => cells.map(({ text }) => text));
  const widths = header.map(({ text }, column) =>
    column === header.length - 1
      ? Math.min(mostPadded, text.length)
      : Math.min(mostPadded, Math.max(...lines.map((line) => line[column]?.length ?? 0))),
  );
  const write = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const [first = [], ...others] = lines;
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  const all = [write(first), rule, ...others.map(write)].join('\n').replaceAll('```', 'ˋˋˋ');
  return `\`\`\`\n${all}\n\`\`\`${endOf(raw)}`;
}

/** A table inside a list or a quotation can't become code there, so it stays text. */
const withoutTables = (text: string, fromColumns = 1): string =>
  text
    .split('\n')
    .map((line) => (columnsBelowHeads(line) >= fromColumns ? `${line}${wordJoiner}` : line))
    .join('\n');

/** 0 for a line that makes no table of the one above it. */
const columnsBelowHeads = (line: string): number =>
  /[|:]/.test(line) && /^[\s|:>*+.)\d-]*$/.test(line) ? (line.match(/-+/g)?.length ?? 0) : 0;

/** Lists and quotations inside each other at the start of a line, more than any that people write. */
const deepNesting = /^(?=[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]*){12})/gm;

/** The parser makes cells of rows that lack them, as many as there are heads. */
const widestTable = 50;

/** The parser calls itself for each level of nesting. */
const withoutExcess = (text: string): string =>
  withoutTables(text.replace(deepNesting, wordJoiner), widestTable + 1);
