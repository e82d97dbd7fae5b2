import { type FileHandle, open } from 'node:fs/promises';
import type { Disk } from './flushed-sqlite.ts';

/** Disk that never flushes, for a database in memory, or one that SQLite itself flushes with each commit. */
export const noDisk: Disk = { flush: async () => undefined, close: async () => undefined };

/**
 * Flushes SQLite's log as `synchronous=FULL` would, but on one of Node's threads, so that the process isn't blocked.
 */
export function createWalDisk(databasePath: string): Disk {
  let opening: Promise<FileHandle> | undefined;

  /** Opens the log, which exists until the database is closed. If opening fails, the next flush tries again. */
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
      // Ignore an error from opening the log, because the callers of `flush` already get it.
      const file = await opening?.catch(() => undefined);
      await file?.close();
    },
  };
}
