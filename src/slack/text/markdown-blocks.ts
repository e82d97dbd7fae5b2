import { Lexer, type MarkedToken, type Tokens } from 'marked';
import { limits, wordJoiner } from './escape-text.ts';

/** Max size of a table. Slack rejects a message with a larger one, or with two. */
const tableLimits = { rows: 100, columns: 20 } as const;

/**
 * Cuts a Markdown text so that Slack expands it to at most `most` blocks. Slack makes a block of each heading, rule,
 * table, code, list, quotation and paragraph. Slack rejects a message with more than 50 blocks or with a second table.
 * So tables after the first one become code. If the text was cut, the reply adds the whole answer as a file.
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
      // Begin with a word joiner, so that Slack doesn't read a code fence at the start of the text.
      const begin = token.text.trim() === '' ? '' : wordJoiner;
      return `${begin}${token.text}${end === '\n' ? '\n\n' : end}`;
    }
    default:
      return token.raw;
  }
}

const endOf = (raw: string): string => raw.slice(raw.trimEnd().length);

const mostPadded = 40;

/** Renders a table as code. Aligns the columns, except after long cells. */
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

/** Returns the text without tables inside lists and quotations. They can't become code there, so they become text. */
const withoutTables = (text: string, fromColumns = 1): string =>
  text
    .split('\n')
    .map((line) => (columnsBelowHeads(line) >= fromColumns ? `${line}${wordJoiner}` : line))
    .join('\n');

/** Counts the columns of a line that turns the line above it into a table. */
const columnsBelowHeads = (line: string): number =>
  /[|:]/.test(line) && /^[\s|:>*+.)\d-]*$/.test(line) ? (line.match(/-+/g)?.length ?? 0) : 0;

/** Matches the start of a line with more nested lists and quotations than people write. */
const deepNesting = /^(?=[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]*){12})/gm;

/** Max columns of a table. The parser pads each row to this width, so a wide table would cost much memory. */
const widestTable = 50;

/** Removes deep nesting and wide tables. The parser calls itself for each level, so the stack could overflow. */
const withoutExcess = (text: string): string =>
  withoutTables(text.replace(deepNesting, wordJoiner), widestTable + 1);
