import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Dialect } from 'kysely';
import Sqlite from 'libsql';
import { FlushedSqliteDialect } from './flushed-sqlite.ts';
import { createWalDisk, noDisk } from './wal-disk.ts';

/**
 * Returns the SQLite dialect. `synchronous=NORMAL` alone loses commits in a power cut, so the log is flushed after each
 * commit. See docs/decisions/007-sqlite-writes-are-few-and-share-a-flush.md.
 */
export function sqliteDialect(path: string): Dialect {
  if (path !== ':memory:') {
    // Let only this user read the files. SQLite gives its new files the permissions of the database.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    for (const file of [path, `${path}-wal`, `${path}-shm`])
      if (existsSync(file)) chmodSync(file, 0o600);
  }
  const database = new Sqlite(path);
  const mode = database.prepare('PRAGMA journal_mode=WAL').raw().get();
  // False on file systems that don't support a write-ahead log.
  const hasLog = String(mode) === 'wal';
  database.exec(`PRAGMA synchronous=${hasLog ? 'NORMAL' : 'FULL'}`);
  database.exec('PRAGMA busy_timeout=5000');
  database.exec('PRAGMA foreign_keys=ON');
  // Set the cache size to 64 MiB, allocated as needed. With the default of 2 MiB, reading a large list would fetch
  // every page from the operating system.
  database.exec('PRAGMA cache_size=-65536');
  // Copy the log into the database only after 4,000 pages (16 MiB), because all writes wait meanwhile. The default
  // of 1,000 pages would make them wait too often.
  database.exec('PRAGMA wal_autocheckpoint=4000');
  return new FlushedSqliteDialect(database, hasLog ? createWalDisk(path) : noDisk);
}
