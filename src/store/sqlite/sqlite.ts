import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Dialect } from 'kysely';
import Sqlite from 'libsql';
import { groupCommitDialect } from './group-commit.ts';
import { createWalDisk, noDisk } from './wal-disk.ts';

/**
 * Only this file and the lock know the SQLite driver. What is answered is on the disk: `synchronous=NORMAL` alone loses
 * commits at a power cut, so the log is flushed after each. See
 * docs/decisions/010-sqlite-writes-are-few-and-share-a-flush.md.
 */
export function sqliteDialect(path: string): Dialect {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true });
    // A new file is for this user's eyes only; SQLite gives the files beside it the same rights.
    closeSync(openSync(path, 'a', 0o600));
  }
  const database = new Sqlite(path);
  const mode = database.prepare('PRAGMA journal_mode=WAL').raw().get();
  // Some file systems take no such log.
  const hasLog = String(mode) === 'wal';
  database.exec(`PRAGMA synchronous=${hasLog ? 'NORMAL' : 'FULL'}`);
  database.exec('PRAGMA busy_timeout=5000');
  database.exec('PRAGMA foreign_keys=ON');
  // KiB, taken as it is needed: with the usual 2 MiB a list among a million runs asks the system for every page.
  database.exec('PRAGMA cache_size=-65536');
  // Pages (16 MiB) after which SQLite takes its log over, within a commit: for those milliseconds everybody waits. With
  // the usual 1,000 that is every two hundred acceptances.
  database.exec('PRAGMA wal_autocheckpoint=4000');
  return groupCommitDialect(database, hasLog ? createWalDisk(path) : noDisk);
}
