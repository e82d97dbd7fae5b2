import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';

/** Returns true for a folder that isn't complete. Keys have no hyphen, but temporary names do. */
export const isUnfinishedFolder = (name: string) => name.includes('-');

type FolderWork = {
  /** Writes the files to an empty folder. */
  write(dir: string, signal: AbortSignal): Promise<void>;
  /** Deletes the files of a failed `write`. */
  remove(dir: string): Promise<void>;
};

/**
 * Creates a pool that prepares folders in advance, one per key. Writing thousands of files is the slowest part of a
 * run's start, but moving a folder is instant. No agent sees a folder before it belongs to its run.
 */
export function createFolderPool({ folder, logger }: { folder: string; logger: Logger }) {
  const stopping = new AbortController();
  const making = new Map<string, Promise<void>>();

  async function make(key: string, { write, remove }: FolderWork): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const unfinished = await mkdtemp(join(folder, `${key}-`));
      try {
        await write(unfinished, stopping.signal);
        await rename(unfinished, join(folder, key));
      } catch (error) {
        await remove(unfinished);
        throw error;
      }
    } catch (error) {
      if (stopping.signal.aborted || alreadyExists(error)) return;
      logger.warn({ err: error }, 'cannot prepare files for the next run');
    }
  }

  return {
    folderOf: (key: string) => join(folder, key),

    /** Moves the prepared folder to `dir`. Returns false if there is none. */
    async take(key: string, dir: string): Promise<boolean> {
      try {
        await rename(join(folder, key), dir);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    },

    /** Prepares the next folder in the background. */
    prepare(key: string, work: FolderWork): void {
      if (making.has(key) || stopping.signal.aborted) return;
      const made = make(key, work).finally(() => making.delete(key));
      making.set(key, made);
    },

    /** Stops all preparation. When this resolves, nothing writes to the folders anymore. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(making.values());
    },
  };
}
export type FolderPool = ReturnType<typeof createFolderPool>;

const alreadyExists = (error: unknown) =>
  ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
