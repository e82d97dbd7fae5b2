import { PostgresDialect } from 'kysely';
import pg from 'pg';

const int8 = 20;
/** Then a statement fails, and what comes of it is tried again: better than to wait for a server that is away. */
const connectWithinMs = 10_000;
/** A process that is frozen, or whose host is gone, keeps what it has locked until PostgreSQL ends its transaction. */
const idleInTransactionMs = 5_000;

/** Times are epoch milliseconds in `bigint` columns and fit a JavaScript number; the driver would give strings. */
export function postgresDialect(connectionString: string): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({
    connectionString,
    types,
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    // Not as a parameter of the connection: poolers refuse those that they do not know.
    onConnect: (client) =>
      client.query(`set idle_in_transaction_session_timeout = ${idleInTransactionMs}`),
  });
  // A server that restarts ends all connections, and what nobody listens to ends the process. A statement under way
  // fails by itself; the next one gets another connection, or says why not.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool });
}
