import { Kysely } from 'kysely';
import Sqlite from 'libsql';
import { openDatabase } from '../../src/store/database/database.ts';
import type { Db } from '../../src/store/schema.ts';
import { groupCommitDialect, type SyncDatabase } from '../../src/store/sqlite/group-commit.ts';
import { noDisk } from '../../src/store/sqlite/wal-disk.ts';

/** Opens the database in this file and counts statements and commits with writes. */
export async function openCountedSqlite(file: string) {
  await (await openDatabase(`sqlite:${file}`)).destroy();
  const sqlite = new Sqlite(file);
  sqlite.exec('PRAGMA synchronous=FULL');
  const counted = { statements: 0, commits: 0 };
  let hasWritten = false;

  function count(changes: number): void {
    counted.statements += 1;
    hasWritten ||= changes > 0;
    if (!sqlite.inTransaction) countCommit();
  }
  function countCommit(): void {
    if (hasWritten) counted.commits += 1;
    hasWritten = false;
  }
  const database: SyncDatabase = {
    get inTransaction() {
      return sqlite.inTransaction;
    },
    exec(sql) {
      if (sql === 'commit') countCommit();
      return sqlite.exec(sql);
    },
    prepare(sql) {
      const statement = sqlite.prepare(sql);
      const isReading = /^\s*select/i.test(sql);
      return {
        reader: statement.reader,
        all(parameters) {
          const rows = statement.all(...parameters);
          count(isReading ? 0 : rows.length);
          return rows;
        },
        run(parameters) {
          const done = statement.run(...parameters);
          count(done.changes);
          return done;
        },
      };
    },
    close: () => sqlite.close(),
  };
  const db: Db = new Kysely({ dialect: groupCommitDialect(database, noDisk) });
  return { db, counted };
}
