import { readableText } from '../../../lib/readable-text.ts';

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

/** What says nothing about a cause: frames of a stack, and what a program says of itself. */
const noise =
  /^at .*(:\d+:\d+|<anonymous>|native)\)?( \{)?$|^Node\.js v\d|^Reading .* from stdin\.\.\.$/;

type Extent = { lines: number; characters: number };

/** The last meaningful lines of an output: what a person would read to learn why a command failed. */
export function lastLines(output: string, { lines, characters }: Extent): string {
  const text = [...meaningfulLines(output).slice(-lines).join('\n')];
  return text.length <= characters ? text.join('') : `…${text.slice(-(characters - 1)).join('')}`;
}

/** The first ones: where a message says its cause before its details. */
export function firstLines(output: string, { lines, characters }: Extent): string {
  const text = [...meaningfulLines(output).slice(0, lines).join('\n')];
  return text.length <= characters ? text.join('') : `${text.slice(0, characters - 1).join('')}…`;
}

const meaningfulLines = (output: string) =>
  plainText(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !noise.test(line));
