import { expect, it } from 'vitest';
import { truncateLines } from '../../../../src/slack/run-message/run-notes.ts';

const lines = (count: number, each = 'x') => Array(count).fill(each).join('\n');

it.each([
  ['a short text unchanged', 'one\ntwo', 'one\ntwo'],
  ['exactly as many lines as allowed', lines(5), lines(5)],
  ['one line more', lines(6), `${lines(5)}\n… 1 more line in Details`],
  ['many lines', lines(1_205), `${lines(5)}\n… 1,200 more lines in Details`],
  ['exactly as many characters as allowed', '😀'.repeat(100), '😀'.repeat(100)],
  ['a long line', '😀'.repeat(3_000), `${'😀'.repeat(40)}… 2,960 more characters in Details`],
  [
    'many long lines',
    lines(10, 'y'.repeat(99)),
    `${'y'.repeat(40)}… 959 more characters in Details`,
  ],
])('shows %s', (_, text, shown) => {
  expect(truncateLines(text, 5, 100)).toBe(shown);
  expect([...shown].length).toBeLessThanOrEqual(100);
});
