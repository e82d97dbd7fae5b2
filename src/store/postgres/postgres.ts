import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { type Bounds, boundPool } from './bounded-pool.ts';

const int8 = 20;
/** Then a statement fails, and what comes of it is tried again: better than to wait for a server that is away. */
const connectWithinMs = 10_000;
/** A process that is frozen, or whose host is gone, keeps what it has locked until PostgreSQL ends its transaction. */
const idleInTransactionMs = 5_000;

/**
 * Times are epoch milliseconds in `bigint` columns and fit a JavaScript number; the driver would give strings.
 * @param bounds without them a statement takes as long as it takes, such as a migration
 */
export function postgresDialect(connectionString: string, bounds?: Bounds): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({
    connectionString,
    types,
    connectionTimeoutMillis: Math.min(connectWithinMs, bounds?.withinMs ?? Infinity),
    keepAlive: true,
    // Not as a parameter of the connection: poolers refuse those that they do not know.
    onConnect: (client) =>
      client.query(`set idle_in_transaction_session_timeout = ${idleInTransactionMs}`),
  });
  // A server that restarts ends all connections, and what nobody listens to ends the process. A statement under way
  // fails by itself; the next one gets another connection, or says why not.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool: bounds ? boundPool(pool, bounds) : pool });
}
