import { readableText } from '../lib/readable-text.ts';

/** What every command to a terminal begins with, as a pattern. */
export const escapeCharacter = '\\u001b';
/** Colors and cursor movements, window titles, and the rest of what terminals take as commands. */
const terminalSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007${escapeCharacter}]*(?:\\u0007|${escapeCharacter}\\\\)?|[@-_])`,
  'g',
);

/** Readable text without colors and cursor movements; a bare CR starts its line again. */
export function plainText(output: string): string {
  const printed = output
    .replace(terminalSequences, '')
    .replace(/\r\n/g, '\n')
    .replace(/^.*\r(?=.)/gm, '');
  return readableText(printed.replaceAll('\r', ''));
}

/** The last meaningful lines of an output: what a person would read to learn why a command failed. */
export function lastLines(
  output: string,
  { lines, characters }: { lines: number; characters: number },
) {
  const meaningful = plainText(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const text = [...meaningful.slice(-lines).join('\n')];
  return text.length <= characters ? text.join('') : `…${text.slice(-(characters - 1)).join('')}`;
}
