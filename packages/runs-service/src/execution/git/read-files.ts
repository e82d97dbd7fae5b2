import { Readable } from 'node:stream';
import { type GitOptions, runGit } from './git.ts';

/** Max size of a file to read, in bytes. No base prompt is that large. */
const maxFileBytes = 1024 * 1024;

type Entry = { id: string; path: string };
type Small = { id: string; bytes: number };
export type FileOfCommit = { path: string; content: string | undefined };

/**
 * Reads files of a commit, with only three processes for any number of files. Files that are too large have no content.
 * @param options git options, with the repository's folder as `cwd`
 * @throws GitError
 */
export async function readFilesOf(
  ref: string,
  isWanted: (path: string) => boolean,
  atMost: number,
  options: GitOptions,
): Promise<FileOfCommit[]> {
  // List the files without sizes, because git would read each file to find its size.
  const wanted = entriesIn(await runGit(['ls-tree', '-r', '-z', ref], options))
    .filter(({ path }) => isWanted(path))
    .slice(0, atMost);
  const sizes = await catFile('--batch-check', wanted, options);
  const contents = await readObjects(smallOnesIn(sizes.toString('utf8')), options);
  return wanted.map(({ id, path }) => ({ path, content: contents.get(id) }));
}

/** Reads the output of `git ls-tree`, without submodules. https://git-scm.com/docs/git-ls-tree#_output_format */
const entriesIn = (tree: string): Entry[] =>
  tree.split('\0').flatMap((line) => {
    const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return id && path ? [{ id, path }] : [];
  });

const smallOnesIn = (sizes: string): Small[] =>
  [...sizes.matchAll(/^([0-9a-f]+) blob (\d+)$/gm)].flatMap(([, id = '', size]) => {
    const bytes = Number(size);
    return bytes <= maxFileBytes ? [{ id, bytes }] : [];
  });

/**
 * Reads the contents of objects from the output of `git cat-file --batch`. There, each content follows a line with the
 * object's ID and ends with a line break. https://git-scm.com/docs/git-cat-file#_batch_output
 */
async function readObjects(
  objects: readonly Small[],
  options: GitOptions,
): Promise<Map<string, string>> {
  const output = await catFile('--batch', objects, options);
  const contents = new Map<string, string>();
  let at = 0;
  for (const { id, bytes } of objects) {
    const start = output.indexOf('\n', at) + 1;
    at = start + bytes + 1;
    contents.set(id, output.toString('utf8', start, start + bytes));
  }
  return contents;
}

async function catFile(
  mode: '--batch' | '--batch-check',
  objects: readonly { id: string }[],
  options: GitOptions,
): Promise<Buffer> {
  if (objects.length === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  await runGit(['cat-file', mode], {
    ...options,
    input: Readable.from(objects.map(({ id }) => `${id}\n`)),
    onOutput: (chunk) => void chunks.push(chunk),
  });
  return Buffer.concat(chunks);
}
