import type { SqliteDatabase, SqliteStatement } from 'kysely';

const mostStatements = 500;

/** Parses each statement once: for a small one that takes longer than running it. */
export function parseOnce(database: Pick<SqliteDatabase, 'prepare'>): SqliteDatabase['prepare'] {
  const known = new Map<string, SqliteStatement>();
  return (sql) => {
    const before = known.get(sql);
    if (before) return before;
    if (known.size >= mostStatements) known.clear();
    const statement = database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
}
