import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInComments } from './find-comments.ts';
import { findPhrases, phrasePattern } from './find-phrases.ts';
import { bannedPhrases, guide } from './language-rules.ts';

describe('the words we do not use', () => {
  it('are found with file and line, as whole words, in any case and across line breaks', () => {
    const banned = ['go on', 'thus'].map(phrasePattern);
    const text = 'A cargo on a ship.\nThus enthused, besides\nwe go\non.';
    expect(findPhrases('a.md', text, banned)).toEqual([
      { file: 'a.md', line: 2, phrase: 'Thus' },
      { file: 'a.md', line: 3, phrase: 'go\non' },
    ]);
  });

  it('are all named by the guide', () => {
    const text = readFileSync(new URL(`../../${guide}`, import.meta.url), 'utf8');
    const isNamed = (phrase: string) => new RegExp(phrasePattern(phrase).source, 'i').test(text);
    expect(bannedPhrases.filter((phrase) => !isNamed(phrase))).toEqual([]);
  });
});

describe('comments', () => {
  const findings = (source: string) =>
    findInComments('a.ts', source, [phrasePattern('what came of')]).map(
      ({ line, phrase }) => `${line}: ${phrase}`,
    );

  it('are found with their lines: blocks, lines and ends of lines, not strings', () => {
    const source = [
      "const glob = 'src/**/*.ts'; // It's a fragment, and has enough words.",
      '/**',
      ' * Reads it, and then',
      ' * says what came of it.',
      ' */',
      '// What is left of the words,',
      '// and how many.',
      "const text = ' /** Whether */ '; const url = 'https://a'; /* Of the page and of each row. */",
    ].join('\n');
    expect(findings(source)).toEqual(['1: It', '4: what came of', '6: What', '8: Of']);
  });

  it('have more than four words, unless they are instructions to tools or tags', () => {
    const source = [
      '/** In milliseconds. */',
      'const waitMs = 1; // Oldest first.',
      'step();',
      '// biome-ignore lint: reason',
      'step();',
      '/** @throws LeaseLost */',
      '/** Time of the next poll. */',
    ].join('\n');
    expect(findings(source)).toEqual(['1: In milliseconds.', '2: Oldest first.']);
  });
});
