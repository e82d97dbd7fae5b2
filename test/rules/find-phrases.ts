/** A banned phrase with its file and line. */
export type Finding = { file: string; line: number; phrase: string };

/** Matches whole words in any case, even across a line break. */
export const phrasePattern = (phrase: string): RegExp =>
  new RegExp(`\\b${phrase.split(' ').join('\\s+')}\\b`, 'gi');

/** @param patterns with the flag `g` */
export function findPhrases(file: string, text: string, patterns: readonly RegExp[]): Finding[] {
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ index, 0: phrase }) => ({ file, line: lineAt(text, index), phrase }))
    .toSorted((a, b) => a.line - b.line);
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;
