import pg from 'pg';

/**
 * The database did not answer in time, or its connection broke. `undone`: nothing of the statement or transaction was
 * written, and nothing of it will be. `unknown`: the answer to its commit is missing.
 */
export class StoreAway extends Error {
  override name = 'StoreAway';
  /** Bolt wraps errors without a code. */
  readonly code = 'store_away';
  readonly outcome: 'undone' | 'unknown';

  constructor(outcome: 'undone' | 'unknown', cause?: unknown) {
    const why = cause instanceof Error ? cause.message || cause.name : 'no answer in time';
    super(`the database is away (${why})`, { cause });
    this.outcome = outcome;
  }
}

/**
 * Connection trouble (class 08), shutting down, crashed or starting up (57P0x), no connection left (53300), and
 * transactions that the server ended because we were too slow. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const awayCodes = /^(08\w{3}|57P0[1235]|53300|25P0[34])$/;
/** Of Node's network errors. Files have others. */
const networkCalls = new Set(['connect', 'getaddrinfo', 'read', 'write', 'shutdown']);
/** The driver's own errors have no code. */
const driverMessages =
  /^(connection terminated|timeout |client has encountered a connection error)/i;

/** Whether an error of the driver says that PostgreSQL can't be reached now. Waiting helps; a wrong password stays wrong. */
export function isAway(error: unknown): boolean {
  if (error instanceof StoreAway) return true;
  if (error instanceof AggregateError) return error.errors.some(isAway);
  if (error instanceof pg.DatabaseError) return awayCodes.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  if ('syscall' in error) return networkCalls.has(String(error.syscall));
  return driverMessages.test(error.message);
}
