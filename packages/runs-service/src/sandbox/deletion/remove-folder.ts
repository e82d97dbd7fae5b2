import { rmdir, unlink } from 'node:fs/promises';
import { runTool } from '../run-tool.ts';
import type { Sandbox } from '../sandbox.ts';

/**
 * Shell script that empties the current folder. Its argument is the max depth of a tree that `rm` deletes at once. `rm`
 * fails on some hundred thousand levels. Deeper folders are moved up first, because `rm` is slow in deep trees.
 */
const emptyScript = `
clear() { find . -mindepth 1 -maxdepth 1 ! -name "$1" -exec rm -rf -- {} +; }
isEmpty() { [ -z "$(find . -mindepth 1 -maxdepth 1 -print -quit)" ]; }
if [ -z "$(find . -mindepth "$1" -maxdepth "$1" -print -quit)" ]; then clear .; isEmpty && exit; fi
while :; do
  find . -maxdepth "$1" -type d ! -perm -700 -exec chmod u+rwx {} \\;
  deep=$(mktemp -d ./deep-XXXXXXXX) || exit
  find . -mindepth "$1" -maxdepth "$1" -type d -execdir sh -c \\
    'into=$(mktemp -d "$1/XXXXXXXX") && mv -- "$2" "$into/x"' sh "$PWD/$deep" {} \\;
  clear "\${deep#./}"
  rmdir "$deep" 2>/dev/null && exit
done`;

const timeoutMs = 10 * 60_000;
const levelsAtOnce = 2_000;

type RemoveOptions = { path: string; signal: AbortSignal; levels?: number };

/**
 * Empties a folder in a sandbox, then removes the empty folder by its name. Does nothing if the folder is missing.
 * @returns the reason of a failure, or undefined if the folder is gone. Files deleted before a failure stay deleted
 */
export async function removeFolder(
  sandbox: Sandbox,
  folder: string,
  { path, signal, levels = levelsAtOnce }: RemoveOptions,
): Promise<string | undefined> {
  if (await isRemoved(folder)) return undefined;
  const variables = { PATH: path, LC_ALL: 'C' };
  const options = { cwd: folder, variables, timeoutMs, signal };
  const { output } = await runTool(
    sandbox.run,
    ['sh', '-c', emptyScript, 'sh', String(levels)],
    options,
  );
  return (await isRemoved(folder)) ? undefined : output;
}

async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    if (code !== 'ENOTDIR') throw error;
    // Delete the path as a file, because it isn't a folder. Some file managers leave a file such as `.DS_Store`
    // among the folders.
    await unlink(folder);
    return true;
  }
}

/**
 * Removes an agent's folder if it's empty. No sandbox is needed, because `rmdir` opens nothing and follows no link.
 */
export const removeEmpty = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );
