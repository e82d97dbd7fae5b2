/** What every command to a terminal begins with, as a pattern. */
export const escapeCharacter = '\\u001b';
/** Colours and cursor movements, titles of windows, and the rest of what terminals take as commands. */
const terminalSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007${escapeCharacter}]*(?:\\u0007|${escapeCharacter}\\\\)?|[@-_])`,
  'g',
);
/** Everything that is not text, but tab and line end; also what turns the direction of writing. */
const controls = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Printed text without colours, cursor movements and other control characters; a bare CR starts its line again. */
export function plainText(output: string): string {
  return output
    .replace(terminalSequences, '')
    .replace(/\r\n/g, '\n')
    .replace(/^.*\r(?=.)/gm, '')
    .replace(controls, '');
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
