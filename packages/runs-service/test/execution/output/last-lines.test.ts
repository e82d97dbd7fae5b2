import { describe, expect, it } from 'vitest';
import { lastLines } from '../../../src/execution/output/last-lines.ts';

describe('the last lines of an output', () => {
  it.each([
    ['', ''],
    ['one\n', 'one'],
    ['1\n2\n3\n4\n\n----\n', '2\n3\n4'],
    ['  at a\r\n  at b\r\n', 'at a\nat b'],
    ['10 %\r20 %\r100 %', '100 %'],
    ['\u001b[31mred\u001b[0m\n', 'red'],
    [
      'Error: boom\n    at run (file:///x.js:1:2)\n    at async Turn.run (/x.js:1:2) {\n\nNode.js v20.20.2\n',
      'Error: boom',
    ],
    ['Reading prompt from stdin...\n', ''],
  ])('%j are %j', (output, lines) => {
    expect(lastLines(output, { lines: 3, characters: 100 })).toBe(lines);
  });

  it('are cut at the front, by code points', () => {
    expect(lastLines('😀😀😀😀', { lines: 3, characters: 3 })).toBe('');
    expect(lastLines('ab😀😀cd', { lines: 3, characters: 4 })).toBe('…😀cd');
  });
});
