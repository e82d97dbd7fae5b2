import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findInComments } from './find-comments.ts';
import { type Finding, findPhrases, phrasePattern } from './find-phrases.ts';

/** Phrases with their forms, as patterns. docs/language.md lists them with what to write instead. */
export const bannedPhrases = [
  ...['wall(s|ed)?', 'runs elsewhere', '(is|are) away', 'hears? nothing', '(go|goes) on'],
  ...[
    'of (its|their) own',
    'what came of',
    'what becomes of',
    'asked for',
    'refus(e|es|ed|ing|als?)',
  ],
  ...['anew', 'beside', 'whoever', 'somebody', 'so far as', 'goes along', 'answers whether'],
  ...['any more', 'looks? at a run', 'in this moment', 'by itself', 'thus', 'be told'],
  ...['please', 'sorry'],
];
const banned = bannedPhrases.map(phrasePattern);

/** The page that lists the phrases. */
export const guide = 'docs/language.md';

const root = new URL('../../', import.meta.url);
const isInstalled = (name: string) => /(^|\/)(node_modules|dist)\//.test(name);
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !isInstalled(name))
    .map((name) => `${folder}${name}`);

/** Pages, and texts that people see in Slack. */
const texts = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['bench/', 'deploy/', 'docs/', 'packages/', 'trials/'].flatMap((folder) =>
    filesIn(folder, /\.md$/),
  ),
  ...['.env.example', 'manifest.yml', 'test/preview/golden.txt'],
].filter((file) => file !== guide && existsSync(new URL(file, root)));

const sources = ['src/', 'packages/', 'test/', 'bench/', 'trials/'].flatMap((folder) =>
  filesIn(folder, /\.[jt]sx?$/),
);

const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

/** Returns the banned phrases in texts and comments, and the comments that aren't sentences. */
export const findLanguageProblems = (): Finding[] => [
  ...texts.flatMap((file) => findPhrases(file, read(file), banned)),
  ...sources.flatMap((file) => findInComments(file, read(file), banned)),
];
