import { describe, expect, it } from 'vitest';
import { readRetryAfterMs } from '../../src/http/read-failure.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const dayMs = 24 * 60 * 60_000;

describe('how long a service asks to wait', () => {
  it.each([
    ['nothing is said', {}, undefined],
    ['seconds', { 'retry-after': '3' }, 3_000],
    ['fractions of a second', { 'retry-after': '0.25' }, 250],
    ['milliseconds before seconds', { 'retry-after-ms': '120', 'retry-after': '3' }, 120],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 10:00:05 GMT' }, 5_000],
    ['a date that has passed', { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
    ['an absurd time, bounded to a day', { 'retry-after': '99999999999' }, dayMs],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['an empty header', { 'retry-after': '' }, undefined],
    ['the header twice', { 'retry-after': ['1', '2'] }, undefined],
  ])('reads %s', (_, headers, expected) => {
    expect(readRetryAfterMs(headers, nowMs)).toBe(expected);
  });
});
