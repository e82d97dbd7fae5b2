import { FlushedSqliteDialect, type SyncDatabase } from 'base/database/sqlite/flushed-sqlite';
import { noDisk } from 'base/database/sqlite/wal-disk';
import { ownersOf, type Tables } from 'base/database/tables';
import { encryptingDialect } from 'base/encryption/encrypting-dialect';
import { Kysely, type SqliteStatement } from 'kysely';
import Sqlite from 'libsql';
import { plainEncryption } from './plain-encryption.ts';

export type Row = Record<string, unknown>;

/** Opens a SQLite database in memory that outlives the simulated processes. */
export function openMemoryDatabase<Schema>(tables: readonly Tables[]) {
  const sqlite = new Sqlite(':memory:');
  sqlite.exec('PRAGMA foreign_keys=ON');
  const parsed = new Map<string, SqliteStatement>();
  const raw: SyncDatabase = {
    get inTransaction() {
      return sqlite.inTransaction;
    },
    exec: (sql) => sqlite.exec(sql),
    // Do nothing, because the database outlives its processes.
    close: () => undefined,
    prepare(sql) {
      const known = parsed.get(sql) ?? (sqlite.prepare(sql) as SqliteStatement);
      parsed.set(sql, known);
      return known;
    },
  };
  return {
    raw,
    /** Opens the database for one process. */
    open: (): Kysely<Schema> =>
      new Kysely({
        dialect: encryptingDialect(
          new FlushedSqliteDialect(raw, noDisk),
          ownersOf(tables),
          plainEncryption,
        ),
      }),
    rows: (sql: string): Row[] => raw.prepare(sql).all([]) as Row[],
  };
}
