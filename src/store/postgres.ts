import { PostgresDialect } from 'kysely';
import pg from 'pg';

const int8 = 20;

/** Times are epoch milliseconds in `bigint` columns and fit a JavaScript number; the driver would give strings. */
export function postgresDialect(connectionString: string): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  return new PostgresDialect({ pool: new pg.Pool({ connectionString, types }) });
}
