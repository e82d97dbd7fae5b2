import { expect, it } from 'vitest';
import { fewLines } from '../../../src/slack/run-message/few-lines.ts';

const lines = (count: number, each = 'x') => Array(count).fill(each).join('\n');

it.each([
  ['a short text as it is', 'one\ntwo', 'one\ntwo'],
  ['exactly as many lines', lines(5), lines(5)],
  ['one line more', lines(6), `${lines(5)}\n… and 1 more line: see Details`],
  ['many lines', lines(1_205), `${lines(5)}\n… and 1,200 more lines: see Details`],
  ['exactly as many characters', '😀'.repeat(100), '😀'.repeat(100)],
  ['a long line', '😀'.repeat(3_000), `${'😀'.repeat(40)}… and 2,960 more characters: see Details`],
  [
    'many long lines',
    lines(10, 'y'.repeat(99)),
    `${'y'.repeat(40)}… and 959 more characters: see Details`,
  ],
])('shows %s', (_, text, shown) => {
  expect(fewLines(text, 5, 100)).toBe(shown);
  expect([...shown].length).toBeLessThanOrEqual(100);
});
