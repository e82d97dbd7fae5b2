import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { type Bounds, boundPool } from './bounded-pool.ts';

const int8 = 20;
/** A statement fails after this time and is tried again. */
const connectWithinMs = 10_000;
/** A frozen process, or one whose host is gone, holds its locks until PostgreSQL ends its transaction. */
const idleInTransactionMs = 5_000;

/**
 * Times are epoch milliseconds in `bigint` columns and fit a JavaScript number; the driver would give strings.
 * @param bounds without them nothing times out, for migrations
 */
export function postgresDialect(connectionString: string, bounds?: Bounds): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({
    connectionString,
    types,
    connectionTimeoutMillis: Math.min(connectWithinMs, bounds?.withinMs ?? Infinity),
    keepAlive: true,
    // Not a connection parameter: poolers refuse unknown ones.
    onConnect: (client) =>
      client.query(`set idle_in_transaction_session_timeout = ${idleInTransactionMs}`),
  });
  // A server that restarts ends all connections, and an error without a listener would end the process. The statements
  // fail themselves.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool: bounds ? boundPool(pool, bounds) : pool });
}
