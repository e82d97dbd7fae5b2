import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInComments } from './find-comments.ts';
import { findPhrases, phrasePattern } from './find-phrases.ts';

/** See docs/language.md, which lists these with what to write instead. */
const bannedPhrases = [
  ...['whoever', 'whose', 'somebody', 'anew', 'beside', 'goes along', 'be told', 'has it'],
  ...['what becomes of', 'is to', 'thus', 'by itself', 'so far as', 'in this moment'],
  ...['any more', 'goes on', 'of its own', 'of their own', 'what came of', 'answers whether'],
  ...['please', 'sorry'],
];
const banned = bannedPhrases.map(phrasePattern);
/** A native speaker writes these in a comment, where no reader is in a hurry. */
const allowedInComments = ['whose', 'is to', 'has it'];
const bannedInComments = bannedPhrases
  .filter((phrase) => !allowedInComments.includes(phrase))
  .map(phrasePattern);

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const guide = 'docs/language.md';
const packageNames = readdirSync(new URL('packages/', root));
const packages = packageNames
  .map((name) => `packages/${name}/README.md`)
  .filter((file) => existsSync(new URL(file, root)));
const sourceFiles = ['src', ...packageNames.map((name) => `packages/${name}/src`)].flatMap(
  (folder) =>
    readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name}`),
);
const files = [
  'README.md',
  'CHANGELOG.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  '.env.example',
  'bench/README.md',
  'bench/load.md',
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

describe('comments', () => {
  it('are found with their lines: blocks, lines and ends of lines, not strings', () => {
    const source = [
      "const glob = 'src/**/*.ts'; // It's a fragment.",
      '/**',
      ' * Reads it, and',
      ' * what came of it.',
      ' */',
      '// What is left.',
      '// How much.',
      "const text = ' /** Whether */ '; const url = 'https://a'; /* Of the page. */",
    ].join('\n');
    expect(findInComments('a.ts', source, bannedInComments)).toEqual([
      { file: 'a.ts', line: 1, phrase: 'It' },
      { file: 'a.ts', line: 4, phrase: 'what came of' },
      { file: 'a.ts', line: 6, phrase: 'What' },
      { file: 'a.ts', line: 8, phrase: 'Whether' },
      { file: 'a.ts', line: 8, phrase: 'Of' },
    ]);
  });

  it('begin with a verb or a noun, and use no phrase of the list', () => {
    const found = sourceFiles.flatMap((file) => findInComments(file, read(file), bannedInComments));
    expect(found).toEqual([]);
  });
});
