import { readableText } from 'base/readable-text';
import { shorten } from 'base/shorten';

/** Source of a regular expression that matches the character ESC. */
export const escapeCharacter = '\\u001b';
/** Matches terminal commands, such as colors, cursor movements and window titles. */
const terminalSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007${escapeCharacter}]*(?:\\u0007|${escapeCharacter}\\\\)?|[@-_])`,
  'g',
);

export const withoutTerminalCommands = (text: string): string =>
  text.includes('\u001b') ? text.replace(terminalSequences, '') : text;

/**
 * Returns readable text without terminal commands. If a line has carriage returns, only the text after the last one is
 * kept.
 */
export function plainText(output: string): string {
  const printed = withoutTerminalCommands(output)
    .replace(/\r\n/g, '\n')
    .replace(/^.*\r(?=.)/gm, '');
  return readableText(printed.replaceAll('\r', ''));
}

/** Matches lines that don't explain a failure, such as stack frames, versions and progress. */
const noise =
  /^at .*(:\d+:\d+|<anonymous>|native)\)?( \{)?$|^Node\.js v\d|^Reading .* from stdin\.\.\.$/;

type Extent = { lines: number; characters: number };

/** Returns the last meaningful lines of an output, where a failed command usually gives its reason. */
export function lastLines(output: string, { lines, characters }: Extent): string {
  const text = [...meaningfulLines(output).slice(-lines).join('\n')];
  return text.length <= characters ? text.join('') : `…${text.slice(-(characters - 1)).join('')}`;
}

/** Returns the first meaningful lines, because a message gives its cause before its details. */
export const firstLines = (output: string, { lines, characters }: Extent): string =>
  shorten(meaningfulLines(output).slice(0, lines).join('\n'), characters);

const meaningfulLines = (output: string) =>
  plainText(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !noise.test(line));
