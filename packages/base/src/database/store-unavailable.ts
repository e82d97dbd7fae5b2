import pg from 'pg';

/**
 * Thrown when the database doesn't respond in time, its connection broke, or its disk is full. `undone`: nothing was
 * written or will be. `unknown`: the response to the commit is missing.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
  /** Code of this error. Without a code, Bolt would wrap the error in another one. */
  readonly code = 'store_unavailable';
  readonly outcome: 'undone' | 'unknown';

  constructor(outcome: 'undone' | 'unknown', cause?: unknown) {
    const why = cause instanceof Error ? cause.message || cause.name : 'no answer in time';
    const what = isDiskFull(cause)
      ? "the database can't save anything"
      : "the database can't be reached";
    super(`${what} (${why})`, { cause });
    this.outcome = outcome;
  }
}

/**
 * Matches the PostgreSQL error codes of an unavailable database: connection errors (class 08), shutdown, crash or start
 * (57P0x), no free connections (53300), disk full (53100), and transactions that timed out (25P0x).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const awayCodes = /^(08\w{3}|57P0[1235]|53[13]00|25P0[34])$/;
/** Names of system calls for the network. Errors from reading files have other names. */
const networkCalls = new Set(['connect', 'getaddrinfo', 'read', 'write', 'shutdown']);
/** Matches the messages of errors that the driver itself throws, because those have no code. */
const driverMessages =
  /^(connection terminated|timeout |client has encountered a connection error)/i;

const fullCodes = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

/** Returns true if an error says that SQLite's disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && fullCodes.has(String(error.code));

/**
 * Returns true if PostgreSQL can't be reached at the moment. Returns false for lasting problems such as a wrong
 * password.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (error instanceof AggregateError) return error.errors.some(isStoreUnavailable);
  if (error instanceof pg.DatabaseError) return awayCodes.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  if ('syscall' in error) return networkCalls.has(String(error.syscall));
  return driverMessages.test(error.message);
}
