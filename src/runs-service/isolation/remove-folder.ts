import { chmod, rmdir, unlink } from 'node:fs/promises';
import type { Logger } from '../../lib/logger.ts';
import { runTool } from './run-tool.ts';
import type { Wall } from './wall.ts';

/** The permissions are looked at only if something can't be removed: that reads all folders once more. */
const empty = `empty() { find . -mindepth 1 -maxdepth 1 -exec rm -rf -- {} +; }
empty || { find . -type d ! -perm -700 -exec chmod u+rwx {} \\; ; empty; }`;

const timeoutMs = 5 * 60_000;

/** Empties a folder behind the wall, then removes the empty folder by its name. A missing folder is fine. */
export async function removeFolder(
  wall: Wall,
  folder: string,
  { path, logger }: { path: string; logger: Logger },
): Promise<void> {
  if (await isRemoved(folder)) return;
  // Agents can take away their own right to enter a folder, also this one.
  await chmod(folder, 0o700);
  const variables = { PATH: path, LC_ALL: 'C' };
  const options = { cwd: folder, variables, timeoutMs };
  const { words } = await runTool(wall.run, ['sh', '-c', empty], options);
  if (await isRemoved(folder)) return;
  logger.warn({ folder, reason: words }, 'cannot delete a folder');
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
    // Some file managers leave a file in each folder.
    await unlink(folder);
    return true;
  }
}
