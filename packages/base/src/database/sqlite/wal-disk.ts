import { type FileHandle, open } from 'node:fs/promises';
import type { Disk } from './flushed-sqlite.ts';

/** For a database in memory, or one that SQLite itself flushes with each commit. */
export const noDisk: Disk = { flush: async () => undefined, close: async () => undefined };

/** Flushes SQLite's log as `synchronous=FULL` does, but on a thread of Node's, so that the process isn't blocked. */
export function createWalDisk(databasePath: string): Disk {
  let opening: Promise<FileHandle> | undefined;

  /** The log exists until the database is closed. The next flush tries again after a failure. */
  function openLog(): Promise<FileHandle> {
    return open(`${databasePath}-wal`, 'r+').catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  }

  return {
    async flush() {
      opening ??= openLog();
      await (await opening).datasync();
    },
    async close() {
      // Those who flush hear why it couldn't be opened.
      const file = await opening?.catch(() => undefined);
      await file?.close();
    },
  };
}
