import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findPhrases, phrasePattern } from './find-phrases.ts';

/** See docs/language.md, which lists these with what to write instead. */
const bannedPhrases = [
  ...['whoever', 'whose', 'somebody', 'anew', 'beside', 'goes along', 'be told', 'has it'],
  ...['what becomes of', 'is to', 'thus', 'by itself', 'so far as', 'in this moment'],
  ...['please', 'sorry'],
];
const banned = bannedPhrases.map(phrasePattern);

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const guide = 'docs/language.md';
const packages = ['base', 'demo', 'runs-client', 'runs-service', 'slack-stand-in'].map(
  (name) => `packages/${name}/README.md`,
);
const files = [
  'README.md',
  'CHANGELOG.md',
  'AGENTS.md',
  'SECURITY.md',
  '.env.example',
  'bench/README.md',
  'trials/README.md',
  'manifest.yml',
  ...docs,
  ...packages,
  // Everything that people see in Slack, as text.
  'test/preview/golden.txt',
].filter((file) => file !== guide);

describe('the words we do not use', () => {
  it('are found with file and line, as whole words, in any case and across line breaks', () => {
    const text = 'A hasty hasit.\nThus it\nis\nto wait besides, as it has its place.';
    expect(findPhrases('a.md', text, banned)).toEqual([
      { file: 'a.md', line: 2, phrase: 'Thus' },
      { file: 'a.md', line: 3, phrase: 'is\nto' },
    ]);
  });

  it('do not occur in what people read', () => {
    expect(files.flatMap((file) => findPhrases(file, read(file), banned))).toEqual([]);
  });

  it('are all named by the guide', () => {
    const text = read(guide);
    const isNamed = (phrase: string) => new RegExp(phrasePattern(phrase).source, 'i').test(text);
    expect(bannedPhrases.filter((phrase) => !isNamed(phrase))).toEqual([]);
  });
});
