import { describe, expect, it } from 'vitest';
import { context, plain, section, textInput } from '../../../src/slack/text/blocks.ts';
import { time } from '../../../src/slack/text/dates.ts';
import {
  code,
  escapeText,
  link,
  safeUrl,
  shorten,
  wordJoiner,
} from '../../../src/slack/text/escape-text.ts';
import { codeBlock, linkList } from '../../../src/slack/text/rich-text.ts';

describe('escaping for mrkdwn', () => {
  it.each([
    ['<!channel> & <@U1>', '&lt;!channel&gt; &amp; &lt;@U1&gt;'],
    ['&amp;', '&amp;amp;'],
    ['שלום 👩‍👩‍👧', 'שלום 👩‍👩‍👧'],
    ['', ''],
  ])('%s becomes %s', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it('keeps the escaped form within the limit and cuts no entity in half', () => {
    const escaped = escapeText('&'.repeat(5_000), 100);
    expect([...escaped].length).toBeLessThanOrEqual(100);
    expect(escaped).toMatch(/^(&amp;)+…$/);
  });
});

describe('cutting', () => {
  it('counts code points, as Slack does', () => {
    expect(shorten('👍'.repeat(5), 5)).toBe('👍'.repeat(5));
    expect(shorten('👍'.repeat(6), 5)).toBe(`${'👍'.repeat(4)}…`);
  });
});

describe('a text of blanks', () => {
  it.each(['', ' ', ' \n\t'])('has a character that is none (%j)', (text) => {
    for (const block of [plain(text, 100), codeBlock(text, 100)])
      expect(JSON.stringify(block)).toContain(wordJoiner);
  });
});

describe('hidden characters', () => {
  const text = '\u202eevil\u2066\u0000\u009b txt';
  it.each<[string, unknown]>([
    ['escaped text', escapeText(text)],
    ['cut text', shorten(text, 100)],
    ['inline code', code(text, 100)],
    ['plain text', plain(text, 100)],
    ['a section', section(text)],
    ['context', context(text)],
    ['a code block', codeBlock(text, 100)],
    ['the value of an input', textInput({ blockId: 'a', label: 'A', value: text })],
    ['a link', link('https://a.example', text)],
    ['a list of links', linkList([{ word: text, label: text, url: undefined }])],
  ])('are left out of %s', (_, shown) => {
    expect(JSON.stringify(shown)).toContain('evil txt');
    expect(JSON.stringify(shown)).not.toMatch(/\u202e|\u2066|\u009b|\\u0000/);
  });

  it("don't push a text over the limit, and the ellipsis still shows", () => {
    const escaped = escapeText('\u202e'.repeat(500) + 'a'.repeat(500), 100);
    expect(escaped.length).toBeLessThanOrEqual(100);
    expect(escaped).toMatch(/…$/);
  });
});

describe('links on buttons', () => {
  it.each([
    ['https://runs.example.com/s/1', 'https://runs.example.com/s/1'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['not a link', undefined],
    [`https://runs.example.com/${'a'.repeat(3_000)}`, undefined],
    [null, undefined],
    ['', undefined],
  ])('%s gives %s', (link, url) => {
    expect(safeUrl(link)).toBe(url);
  });
});

describe('an input', () => {
  it('has no initial value when the value is empty, because Slack rejects that', () => {
    expect(textInput({ blockId: 'a', label: 'A', value: '' }).element).not.toHaveProperty(
      'initial_value',
    );
  });

  it('cuts its initial value to the maximum length', () => {
    const { element } = textInput({ blockId: 'a', label: 'A', value: '👍'.repeat(4_000) });
    expect(element).toMatchObject({ initial_value: '👍'.repeat(3_000), max_length: 3_000 });
  });
});

it("lets Slack render a time in the reader's time zone, with UTC as the fallback", () => {
  const at = Date.parse('2026-11-01T12:34:56.789Z');
  expect(time(at)).toBe('<!date^1793536496^{date_short_pretty} at {time}|2026-11-01 12:34 UTC>');
});
