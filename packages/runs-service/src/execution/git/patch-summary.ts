import { readableLine } from 'base/readable-text';
import type { ChangedFiles } from 'runs-client/contract';

const maxLargest = 5;
/**
 * Max length of a line, in characters. Longer lines are cut, because no header is longer and only the first character
 * of other lines matters.
 */
const maxLineCharacters = 8_192;

type FileSummary = { path: string; insertions: number; deletions: number };

/** Creates a counter of the files and lines in the output of `git diff`, which it reads in chunks. */
export function createPatchSummary() {
  const files: FileSummary[] = [];
  let line = '';
  /** Number of lines of the current hunk that are still to come, for the old and the new version. */
  let left = { old: 0, new: 0 };

  function readLine(): void {
    const file = files.at(-1);
    if (file && (left.old > 0 || left.new > 0)) readHunkLine(file);
    else if (line.startsWith('diff --git '))
      files.push({ path: pathIn(line), insertions: 0, deletions: 0 });
    else if (file && line.startsWith('rename to ')) file.path = line.slice('rename to '.length);
    else if (line.startsWith('@@ ')) left = readHunk(line);
    line = '';
  }

  function readHunkLine(file: FileSummary): void {
    const [sign] = line;
    if (sign === '+') file.insertions += 1;
    if (sign === '-') file.deletions += 1;
    // Count an unchanged line in both versions. The line "\ No newline at end of file" is in neither.
    if (sign === '-' || sign === ' ') left.old -= 1;
    if (sign === '+' || sign === ' ') left.new -= 1;
  }

  return {
    push(chunk: Buffer): void {
      const [first = '', ...rest] = chunk.toString('latin1').split('\n');
      line += first.slice(0, maxLineCharacters - line.length);
      for (const next of rest) {
        readLine();
        line = next.slice(0, maxLineCharacters);
      }
    },

    read(): ChangedFiles {
      if (line !== '') readLine();
      const size = ({ insertions, deletions }: FileSummary) => insertions + deletions;
      const largest = files.toSorted((a, b) => size(b) - size(a)).slice(0, maxLargest);
      return {
        files: files.length,
        insertions: files.reduce((sum, file) => sum + file.insertions, 0),
        deletions: files.reduce((sum, file) => sum + file.deletions, 0),
        largest: largest.map((file) => ({ ...file, path: readable(file.path) })),
      };
    },
  };
}

function readHunk(line: string): { old: number; new: number } {
  const [, old = '1', now = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
  return { old: Number(old), new: Number(now) };
}

const pathIn = (line: string): string =>
  / "?b\/(.*?)"?$/.exec(line)?.[1] ?? line.slice('diff --git '.length);

const readable = (latin1: string): string =>
  readableLine(Buffer.from(latin1, 'latin1').toString('utf8'));
