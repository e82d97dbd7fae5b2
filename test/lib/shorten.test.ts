import { expect, it } from 'vitest';
import { shorten } from '../../src/lib/shorten.ts';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['😀😀😀', 3, '😀😀😀'],
  ['😀😀😀😀', 3, '😀😀…'],
  ['', 3, ''],
])('shortens %j to %d code points', (text, limit, short) => {
  expect(shorten(text, limit)).toBe(short);
});
