import { describe, expect, it } from 'vitest';
import { readableLine, readableText } from '../src/readable-text.ts';

describe('readable text', () => {
  it.each([
    ['an override', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['embeddings and isolates', '\u202a\u202b\u202c\u202da\u2066\u2067\u2068\u2069b', 'ab'],
    ['C0 controls', 'a\u0000\u0007\u0008\u001b[31mb\u007f', 'a[31mb'],
    ['C1 controls', 'a\u0080\u009bb', 'ab'],
    ['tabs and line ends', 'a\tb\nc\r\nd\re', 'a\tb\nc\nd\ne'],
    [
      'right-to-left words, joiners and combining marks',
      'שלום 👩‍👩‍👧 e\u0301',
      'שלום 👩‍👩‍👧 e\u0301',
    ],
  ])('%s', (_, text, shown) => {
    expect(readableText(text)).toBe(shown);
  });

  it('fits on one line', () => {
    expect(readableLine('  a\u202e\r\n\tb  ')).toBe('a b');
  });
});
