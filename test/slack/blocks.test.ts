import { describe, expect, it } from 'vitest';
import { escapeText, safeUrl, shorten, textInput, time } from '../../src/slack/blocks.ts';

describe('escaping for mrkdwn', () => {
  it.each([
    ['<!channel> & <@U1>', '&lt;!channel&gt; &amp; &lt;@U1&gt;'],
    ['&amp;', '&amp;amp;'],
    ['שלום 👩‍👩‍👧', 'שלום 👩‍👩‍👧'],
    ['', ''],
  ])('%s becomes %s', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it('fits the escaped form, and cuts no entity in half', () => {
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
  it('has no initial value when there is none: Slack refuses an empty one', () => {
    expect(textInput({ blockId: 'a', label: 'A', value: '' }).element).not.toHaveProperty(
      'initial_value',
    );
  });

  it('never starts with more than it takes', () => {
    const { element } = textInput({ blockId: 'a', label: 'A', value: '👍'.repeat(4_000) });
    expect(element).toMatchObject({ initial_value: '👍'.repeat(3_000), max_length: 3_000 });
  });
});

it('a time is rendered by Slack in the reader’s zone, with UTC where it cannot be', () => {
  const at = Date.parse('2026-11-01T12:34:56.789Z');
  expect(time(at)).toBe('<!date^1793536496^{date_short_pretty} at {time}|2026-11-01 12:34 UTC>');
});
