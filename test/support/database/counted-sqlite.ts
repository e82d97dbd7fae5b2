import { FlushedSqliteDialect, type SyncDatabase } from 'base/database/sqlite/flushed-sqlite';
import { createWalDisk } from 'base/database/sqlite/wal-disk';
import { Kysely } from 'kysely';
import Sqlite from 'libsql';
import { withTestKey } from '../../../packages/base/test/support/test-key.ts';
import type { Db } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';
import { openTestDatabase } from './databases.ts';

/** Opens the database in this file and counts statements and flushes to disk. */
export async function openCountedSqlite(file: string) {
  await (await openTestDatabase(`sqlite:${file}`)).destroy();
  const sqlite = new Sqlite(file);
  sqlite.exec('PRAGMA synchronous=NORMAL');
  const counted = { statements: 0, flushes: 0 };
  const database: SyncDatabase = {
    get inTransaction() {
      return sqlite.inTransaction;
    },
    exec: (sql) => sqlite.exec(sql),
    prepare(sql) {
      const statement = sqlite.prepare(sql);
      const count = <Done>(done: Done): Done => {
        counted.statements += 1;
        return done;
      };
      return {
        reader: statement.reader,
        all: (parameters) => count(statement.all(...parameters)),
        run: (parameters) => count(statement.run(...parameters)),
        iterate: (parameters) => count(statement.iterate(...parameters)),
      };
    },
    close: () => sqlite.close(),
  };
  const disk = createWalDisk(file);
  const flush = () => {
    counted.flushes += 1;
    return disk.flush();
  };
  const db: Db = new Kysely({
    dialect: withTestKey(new FlushedSqliteDialect(database, { ...disk, flush }), [botTables]),
  });
  return { db, counted };
}
