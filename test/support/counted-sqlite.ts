import { Kysely, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import { onTestFinished } from 'vitest';
import { type Db, openDatabase } from '../../src/store/database.ts';
import { temporaryFolder } from './runs-service.ts';

/** A new SQLite database whose statements, and whose commits that wrote something, are counted. */
export async function openCountedSqlite() {
  const file = `${temporaryFolder()}/counted.db`;
  await (await openDatabase(`sqlite:${file}`)).destroy();
  const sqlite = new Sqlite(file);
  const counted = { statements: 0, commits: 0 };
  let isInTransaction = false;
  let hasWritten = false;

  function count(sql: string, changes: number): void {
    if (sql === 'begin') isInTransaction = true;
    else if (sql === 'commit') isInTransaction = false;
    else counted.statements += 1;
    hasWritten ||= changes > 0;
    if (isInTransaction) return;
    if (hasWritten) counted.commits += 1;
    hasWritten = false;
  }
  const database = {
    prepare(sql: string) {
      const statement = sqlite.prepare(sql);
      const isReading = /^\s*select/i.test(sql);
      return {
        reader: statement.reader,
        all(parameters: unknown[]) {
          const rows = statement.all(...parameters);
          count(sql, isReading ? 0 : rows.length);
          return rows;
        },
        run(parameters: unknown[]) {
          const done = statement.run(...parameters);
          count(sql, sql === 'begin' || sql === 'commit' ? 0 : done.changes);
          return done;
        },
      };
    },
    close: () => sqlite.close(),
  };
  const db: Db = new Kysely({ dialect: new SqliteDialect({ database: database as never }) });
  onTestFinished(() => db.destroy());
  return { db, counted };
}
