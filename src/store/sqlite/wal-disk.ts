import { type FileHandle, open } from 'node:fs/promises';
import type { Disk } from './group-commit.ts';

/** For a database that lives in memory, or that SQLite itself brings onto the disk with each commit. */
export const noDisk: Disk = { flush: async () => undefined, close: async () => undefined };

/**
 * Brings what SQLite has written to its log onto the disk, as `synchronous=FULL` does within each commit, but on a thread
 * of Node's: people are answered while the disk is at work.
 */
export function createWalDisk(databasePath: string): Disk {
  let file: FileHandle | undefined;

  return {
    async flush() {
      // SQLite makes the log once and keeps it until the database is closed.
      file ??= await open(`${databasePath}-wal`, 'r+');
      await file.datasync();
    },
    async close() {
      await file?.close();
    },
  };
}
