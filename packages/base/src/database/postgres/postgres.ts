import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { type Bounds, boundPool } from './bounded-pool.ts';

const int8 = 20;
/** Max time to open a connection, in ms. After that, the statement fails and is repeated. */
const connectWithinMs = 10_000;
/** Time after which PostgreSQL ends an idle transaction, in ms. Otherwise a frozen process would keep its locks. */
const idleInTransactionMs = 5_000;

/**
 * Returns the PostgreSQL dialect. Reads `bigint` columns as numbers, because they hold epoch ms and the driver would
 * return strings.
 * @param bounds time limits; left out for migrations, which can take long
 */
export function postgresDialect(connectionString: string, bounds?: Bounds): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({
    connectionString,
    types,
    connectionTimeoutMillis: Math.min(connectWithinMs, bounds?.withinMs ?? Infinity),
    keepAlive: true,
    // Set the timeout by a statement, because poolers reject unknown connection parameters.
    onConnect: (client) =>
      client.query(`set idle_in_transaction_session_timeout = ${idleInTransactionMs}`),
  });
  // Ignore connection errors here, because the failed statements report them. Without a listener, the errors would
  // end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool: bounds ? boundPool(pool, bounds) : pool });
}
