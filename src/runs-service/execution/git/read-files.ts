import { Readable } from 'node:stream';
import { type GitOptions, runGit } from './git.ts';

/** More than a base prompt can have. */
const maxFileBytes = 1024 * 1024;

type Entry = { id: string; bytes: number; path: string };
export type FileOfCommit = { path: string; content: string | undefined };

/**
 * Files of a commit, by two processes, however many there are. Those that are too large have no content.
 * @param options of the repository's folder
 * @throws GitError
 */
export async function readFilesOf(
  ref: string,
  isWanted: (path: string) => boolean,
  atMost: number,
  options: GitOptions,
): Promise<FileOfCommit[]> {
  const tree = await runGit(['ls-tree', '-r', '-z', '-l', ref], options);
  const wanted = entriesIn(tree)
    .filter(({ path }) => isWanted(path))
    .slice(0, atMost);
  const small = wanted.filter(({ bytes }) => bytes <= maxFileBytes);
  const contents = await readObjects(small, options);
  return wanted.map((entry) => ({ path: entry.path, content: contents.get(entry) }));
}

/** Without submodules. https://git-scm.com/docs/git-ls-tree#_output_format */
const entriesIn = (tree: string): Entry[] =>
  tree.split('\0').flatMap((line) => {
    const [, id, bytes, path] = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    return id && path ? [{ id, bytes: Number(bytes), path }] : [];
  });

/** Each object comes after a line with its id, and before a line break. https://git-scm.com/docs/git-cat-file#_batch_output */
async function readObjects(
  entries: readonly Entry[],
  options: GitOptions,
): Promise<Map<Entry, string>> {
  const contents = new Map<Entry, string>();
  if (entries.length === 0) return contents;
  const chunks: Buffer[] = [];
  await runGit(['cat-file', '--batch'], {
    ...options,
    input: Readable.from(entries.map(({ id }) => `${id}\n`)),
    onOutput: (chunk) => void chunks.push(chunk),
  });
  const output = Buffer.concat(chunks);
  let at = 0;
  for (const entry of entries) {
    const start = output.indexOf('\n', at) + 1;
    at = start + entry.bytes + 1;
    contents.set(entry, output.toString('utf8', start, start + entry.bytes));
  }
  return contents;
}
