import { expect, it } from 'vitest';
import { durationText } from '../../../src/slack/text/dates.ts';

it.each([
  [0, 'under 1s'],
  [-5_000, 'under 1s'],
  [Number.NaN, 'under 1s'],
  [1_000, '1s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [134_000, '2m 14s'],
  [3_600_000, '1h'],
  [3_661_000, '1h 1m'],
  [90_000_000, '1d 1h'],
])('%d ms read as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
