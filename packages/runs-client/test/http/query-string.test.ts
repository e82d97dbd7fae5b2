import { describe, expect, it } from 'vitest';
import { formatQuery } from '../../src/http/address.ts';

describe('a query', () => {
  it.each([
    ['nothing', undefined, ''],
    ['an empty query', {}, ''],
    ['absent values', { a: undefined, b: null }, ''],
    [
      'texts, numbers and flags',
      { q: 'a b&c', limit: 5, all: false },
      '?q=a%20b%26c&limit=5&all=false',
    ],
    ['arrays by repeating the key', { state: ['QUEUED', 'FAILED'] }, '?state=QUEUED&state=FAILED'],
    ['maps by their inner keys', { metadata: { 'a.b': 'x' } }, '?metadata%5Ba.b%5D=x'],
  ])('formats %s', (_, query, expected) => {
    expect(formatQuery(query)).toBe(expected);
  });
});
