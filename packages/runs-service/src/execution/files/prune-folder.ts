import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const dayMs = 24 * 60 * 60_000;

/** Age at which unused caches are deleted, in ms. No run takes that long. */
export const maxUnusedMs = 14 * dayMs;

type PruneOptions = {
  /** Returns true if the entry with this name can be deleted. */
  only?: (name: string) => boolean;
  withLock?: (path: string, work: () => Promise<number>) => Promise<number>;
  remove?: (path: string) => Promise<void>;
};

/** Deletes entries of a folder that haven't changed for `maxAgeMs`. Returns their number. */
export async function pruneFolder(
  folder: string,
  maxAgeMs: number,
  {
    only = () => true,
    withLock = (_, work) => work(),
    remove = (path) => rm(path, { recursive: true, force: true }),
  }: PruneOptions = {},
): Promise<number> {
  let deleted = 0;
  for (const name of (await readdir(folder).catch(() => [])).filter(only)) {
    const path = join(folder, name);
    deleted += await withLock(path, async () => {
      const found = await stat(path).catch(() => undefined);
      if (!found || Date.now() - found.mtimeMs <= maxAgeMs) return 0;
      // Rename the entry before deleting it, so that a crash doesn't leave an incomplete entry under its name.
      const unwanted = join(folder, `${name}-unwanted`);
      await remove(unwanted);
      if (!(await isRenamed(path, unwanted))) return 0;
      await remove(unwanted);
      return 1;
    });
  }
  return deleted;
}

/** Renames an entry. Returns false if another service that shares the folder was faster. */
async function isRenamed(path: string, to: string): Promise<boolean> {
  try {
    await rename(path, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
