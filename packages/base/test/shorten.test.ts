import { expect, it } from 'vitest';
import { isLonger, shorten } from '../src/shorten.ts';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['😀😀😀', 3, '😀😀😀'],
  ['😀😀😀😀', 3, '😀😀…'],
  ['', 3, ''],
])('shortens %j to %d code points', (text, limit, short) => {
  expect(shorten(text, limit)).toBe(short);
});

it.each([
  ['abc', 3, false],
  ['abcd', 3, true],
  ['😀😀😀', 3, false],
  ['😀😀😀😀', 3, true],
  ['😀a', 1, true],
  ['', 0, false],
])('%j is longer than %d code points: %s', (text, limit, longer) => {
  expect(isLonger(text, limit)).toBe(longer);
});
