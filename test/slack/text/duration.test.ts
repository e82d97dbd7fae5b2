import { expect, it } from 'vitest';
import { durationText } from '../../../src/slack/text/duration.ts';

it.each([
  [0, 'under 1 s'],
  [-5_000, 'under 1 s'],
  [Number.NaN, 'under 1 s'],
  [1_000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [134_000, '2 min 14 s'],
  [3_600_000, '1 h'],
  [3_661_000, '1 h 1 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms read as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
