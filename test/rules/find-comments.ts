import { type Finding, findPhrases } from './find-phrases.ts';

/** A comment of TypeScript: its text without marks, one line for each line of the source. */
type Comment = { line: number; text: string };

/** A block, or lines with `//` that follow one another. `/*` in a string, such as a glob, has no space before it. */
const comment = /(?<=^|[\s{(,])(?:\/\*\*?(?=\s)[\s\S]*?\*\/|\/\/(?=\s).*(?:\n[ \t]*\/\/.*)*)/g;
const marks = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)[ \t]?|\*\/$/gm;

/** They turn a sentence into a riddle: "Whether it counts." instead of "True if the answer counts." */
const fragment = /^\s*(?:What|Whether|Who|Whom|How|Of|That|It|As)\b/g;

const readComments = (source: string): Comment[] =>
  [...source.matchAll(comment)].map(({ 0: text, index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: text.replace(marks, ''),
  }));

/** Comments that begin as a fragment, and phrases in comments. */
export function findInComments(file: string, source: string, banned: readonly RegExp[]): Finding[] {
  return readComments(source).flatMap(({ line, text }) =>
    [fragment, ...banned]
      .flatMap((pattern) => findPhrases(file, text, [pattern]))
      .map((found) => ({ ...found, line: line + found.line - 1, phrase: found.phrase.trim() })),
  );
}
