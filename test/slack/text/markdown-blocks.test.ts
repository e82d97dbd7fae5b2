import fc from 'fast-check';
import { expandMarkdown } from 'slack-stand-in/block-kit/markdown/expand-markdown';
import { describe, expect, it } from 'vitest';
import { wordJoiner } from '../../../src/slack/text/escape-text.ts';
import { fitBlocks } from '../../../src/slack/text/markdown-blocks.ts';
import { agentAnswers } from '../../support/answers/agent-answers.ts';

const cut = (text: string, most = 50) => fitBlocks(text, most);
const table = '| a | b |\n|---|---|\n| 1 | 2 |\n';
const tableOf = (rows: number, columns: number) =>
  [0, '-', ...Array.from({ length: rows - 1 }, (_, row) => row + 1)]
    .map((cell) => `|${`${cell}|`.repeat(columns)}`)
    .join('\n');

describe('the beginning of which Slack makes so many blocks', () => {
  it('is cut between headings, rules, tables, code, lists, quotations and paragraphs', () => {
    const parts = ['# a', '---', table.trim(), '```\nb\n\nb\n```', '- c\n- c', '> d', 'e\ne'];
    const text = parts.join('\n\n');
    expect(cut(text, 7)).toEqual({ text, isWhole: true });
    for (let most = 1; most < 7; most += 1)
      expect(cut(text, most)).toEqual({
        text: parts.slice(0, most).join('\n\n'),
        isWhole: false,
      });
  });

  it.each(agentAnswers.map(({ name, text }) => [name, text]))(
    'is what Slack shows of %s',
    (_, text) => {
      const fitted = cut(text.slice(0, 8_500), 40);
      const blocks = expandMarkdown(fitted.text);
      expect(blocks.length).toBeLessThanOrEqual(40);
      expect(blocks.filter(({ type }) => type === 'table').length).toBeLessThanOrEqual(1);
    },
  );

  it('has the text as it was, unless it has tables or headings', () => {
    const piece = fc.constantFrom(
      'a',
      '\n',
      '\n\n',
      '- ',
      '> ',
      '```',
      '1. ',
      '  ',
      '    ',
      '*',
      '<b>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('').trim();
        expect(cut(text, 1_000)).toEqual({ text, isWhole: true });
      }),
    );
  });
});

describe('a table', () => {
  it.each([
    [100, 2],
    [2, 20],
  ])('of %i rows and %i columns stays one', (rows, columns) => {
    const text = tableOf(rows, columns);
    expect(cut(text).text).toBe(text);
  });

  it.each([
    [101, 2],
    [2, 21],
  ])('of %i rows and %i columns becomes code', (rows, columns) => {
    expect(cut(tableOf(rows, columns)).text).toMatch(/^```\n0.*\n─[^|]*```/s);
  });

  it('after another becomes code with its cells below each other', () => {
    const second = '| name | count |\n| --- | ---: |\n| `cart.ts` | 7 |\n| a ``` b | 12 |\n';
    expect(cut(`${table}\nthen\n\n${second}\nend`).text).toBe(
      `${table}\nthen\n\n${[
        '```',
        'name       count',
        '─────────  ─────',
        '`cart.ts`  7',
        'a ˋˋˋ b    12',
        '```',
      ].join('\n')}\n\nend`,
    );
  });

  it('in a list or a quotation stays text', () => {
    expect(cut('- x\n\n  | a |\n  |---|\n  | 1 |').text).toContain(`|---|${wordJoiner}`);
    expect(cut('> | a |\n> |---|').text).toBe(`> | a |\n> |---|${wordJoiner}`);
    expect(cut('- x\n\n  a\n  :-:').text).toBe(`- x\n\n  a\n  :-:${wordJoiner}`);
  });

  it('of more than 50 columns stays text, because short rows would become thousands of cells', () => {
    const wide = `${tableOf(1, 51)}\n${'a\n'.repeat(100)}`;
    expect(cut(wide)).toEqual({ text: wide.replace('-|\n', `-|${wordJoiner}\n`), isWhole: true });
  });
});

describe('a heading', () => {
  it('that is longer than Slack accepts becomes a paragraph, and an empty one nothing', () => {
    const long = 'word '.repeat(40).trim();
    expect(cut(`## ${long}\n\nb`).text).toBe(`${wordJoiner}${long}\n\nb`);
    expect(cut('#\n\nb', 1)).toEqual({ text: '\n\nb', isWhole: true });
  });

  it.each(['#', '>', '- -', '~~~'])(
    'that becomes a paragraph begins no other block with %s',
    (sign) => {
      const { text } = cut(`# ${sign} ${'word '.repeat(40)}\n\nb`);
      expect(expandMarkdown(text).map(({ type }) => type)).toEqual(['rich_text', 'rich_text']);
      expect(text.startsWith(`${wordJoiner}${sign}`)).toBe(true);
    },
  );
});

it.each([
  ['quotations', '>'.repeat(8_000)],
  ['lists', '1. '.repeat(2_500)],
  ['both', '> - '.repeat(2_000)],
])('%s inside each other without end are text', (_, text) => {
  expect(cut(text)).toEqual({ text: `${wordJoiner}${text}`, isWhole: true });
});
