import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** A parsed statement. `isRead` is true if it can't write. */
type ParsedStatement = SqliteStatement & { readonly isRead: boolean };

const mostStatements = 500;

/** Returns a function that parses each statement only once. Parsing a small statement takes longer than running it. */
export function parseOnce(
  database: Pick<SqliteDatabase, 'prepare'>,
): (sql: string) => ParsedStatement {
  const known = new Map<string, ParsedStatement>();
  return (sql) => {
    const before = known.get(sql);
    if (before) return before;
    if (known.size >= mostStatements) known.clear();
    const statement = parse(database, sql);
    known.set(sql, statement);
    return statement;
  };
}

function parse(database: Pick<SqliteDatabase, 'prepare'>, sql: string): ParsedStatement {
  const statement = database.prepare(sql);
  const { reader } = statement;
  return {
    reader,
    isRead: /^\s*select\b/i.test(sql),
    all: (given) => statement.all(given),
    run: (given) => statement.run(given),
    iterate: (given) => statement.iterate(given),
  };
}
