import { type Finding, findPhrases } from './find-phrases.ts';

/** A TypeScript comment without its marks. `text` keeps one line for each line of the source, which starts at `line`. */
type Comment = { line: number; text: string };

/** A string on one line, a block, or consecutive lines with `//`. Strings match first, so that a glob isn't a comment. */
const stringOrComment =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=^|[\s{(,])(?:\/\*\*?(?=\s)[\s\S]*?\*\/|\/\/(?=\s).*(?:\n[ \t]*\/\/.*)*)/gm;
const marks = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)[ \t]?|\*\/$/gm;
/** Instructions to tools, and a tag with the name of an error, aren't sentences. */
const directive = /^\s*(?:@throws \w+\s*$|biome-ignore|@ts-|@vitest-|@jsx|v8 ignore)/;

/** Openers that turn a sentence into a riddle: "Whether it counts." instead of "True if the answer applies." */
const opener = /^\s*(?:What|Whether|Who|Whom|Whose|How|Of|That|Those|It|Its|They|As)\b/;
const minWords = 5;

const readComments = (source: string): Comment[] =>
  [...source.matchAll(stringOrComment)]
    .filter(([text]) => text.startsWith('/'))
    .map(({ 0: text, index }) => ({
      line: source.slice(0, index).split('\n').length,
      text: text.replace(marks, ''),
    }))
    .filter(({ text }) => !directive.test(text));

/** Returns comments that start like a fragment or have fewer than five words, and banned phrases in comments. */
export function findInComments(file: string, source: string, banned: readonly RegExp[]): Finding[] {
  return readComments(source).flatMap(({ line, text }) => {
    const sentence = text.replace(/\s+/g, ' ').trim();
    const start = opener.exec(sentence);
    return [
      ...(start ? [{ file, line, phrase: start[0] }] : []),
      ...(sentence.split(' ').length < minWords ? [{ file, line, phrase: sentence }] : []),
      ...findPhrases(file, text, banned).map((found) => ({
        ...found,
        line: line + found.line - 1,
      })),
    ];
  });
}
