import { type Dialect, Kysely } from 'kysely';
import { encryptingDialect } from '../encryption/encrypting-dialect.ts';
import { checkKey } from '../encryption/key-check.ts';
import { ExplainedError } from '../explained-error.ts';
import type { Encryption } from '../secrets/encryption.ts';
import { isPostgres } from './clock.ts';
import { createSharedTables, migrate, presentTables } from './migrations.ts';
import type { Bounds } from './postgres/bounded-pool.ts';
import { postgresDialect } from './postgres/postgres.ts';
import { type OnStatement, reportStatements } from './report-statements.ts';
import { sqliteDialect } from './sqlite/sqlite.ts';
import { type AnyDb, ownersOf, type Tables } from './tables.ts';

/** Time limit for background work. Work that exceeds it fails and is repeated, because its connection may be broken. */
const background: Bounds = { withinMs: 30_000, isAllOrNothing: false };
/** Max time of a write that a person waits for, in ms. Shorter than three seconds, because Slack waits no longer. */
const promptWithinMs = 2_000;

export type DatabaseOptions = {
  /** Encryption of the secret columns. Undefined for commands that use none of them. */
  encryption?: Encryption | undefined;
  /** Aborts pending PostgreSQL statements when the process stops. */
  stopping?: AbortSignal | undefined;
  /** Called after each statement, with its kind and duration. */
  onStatement?: OnStatement | undefined;
};

/**
 * Opens a database and brings its tables up to date.
 * @param url `sqlite:<path>`, `sqlite::memory:` or `postgres://…`
 * @param tables of every product that uses this connection
 * @throws ExplainedError when the database can't be opened, a migration fails, or it needs another key; the cause is the
 * driver's error
 */
export async function openDatabase<Schema>(
  url: string,
  tables: readonly Tables[],
  options: DatabaseOptions = {},
): Promise<Kysely<Schema>> {
  const opened = await openMigrated(url, tables, options);
  if (!isPostgres(opened)) return opened;
  await opened.destroy();
  return openBounded(url, tables, background, options);
}

/**
 * Opens a database for a command, with the tables of the products that have used it. Closes it when the work ends.
 * @param all tables of all products
 * @throws ExplainedError when the database can't be opened
 */
export async function withPresentTables<T>(
  url: string,
  all: readonly Tables[],
  options: DatabaseOptions,
  work: (db: AnyDb, present: readonly Tables[]) => Promise<T>,
): Promise<T> {
  const seen = open(openDialect(url), all, options);
  const present = await presentTables(seen, all)
    .catch((error: unknown) => {
      throw explained(error);
    })
    .finally(() => seen.destroy());
  return withDatabase(url, present, options, (db) => work(db, present));
}

/** Opens a database for a command, runs the work, and then closes the database. */
export async function withDatabase<Schema, T>(
  url: string,
  tables: readonly Tables[],
  options: DatabaseOptions,
  work: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  const db = await openDatabase<Schema>(url, tables, options);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Returns a connection for work that a person waits for. PostgreSQL gets a shorter time limit, after which work throws
 * `StoreUnavailable`. SQLite uses `db` itself.
 * @param db returned by `openDatabase` for this `url`
 */
export const openForRequests = <Schema>(
  db: Kysely<Schema>,
  url: string,
  tables: readonly Tables[],
  options: DatabaseOptions,
  withinMs = promptWithinMs,
): Kysely<Schema> =>
  isPostgres(db) ? openBounded(url, tables, { withinMs, isAllOrNothing: true }, options) : db;

function openBounded<Schema>(
  url: string,
  tables: readonly Tables[],
  bounds: Bounds,
  options: DatabaseOptions,
): Kysely<Schema> {
  return open(postgresDialect(url, { ...bounds, stopping: options.stopping }), tables, options);
}

async function openMigrated(
  url: string,
  tables: readonly Tables[],
  options: DatabaseOptions,
): Promise<AnyDb> {
  const db: AnyDb = open(openDialect(url), tables, options);
  try {
    await createSharedTables(db);
    for (const each of tables) await migrate(db, each);
    if (options.encryption) await checkKey(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw explained(error);
  }
}

function open<Schema>(
  dialect: Dialect,
  tables: readonly Tables[],
  { encryption, onStatement }: DatabaseOptions,
): Kysely<Schema> {
  return new Kysely({
    dialect: encryptingDialect(dialect, ownersOf(tables), encryption),
    ...reportStatements(onStatement),
  });
}

function openDialect(url: string): Dialect {
  try {
    return dialectOf(url);
  } catch (error) {
    throw notOpened(error);
  }
}

/**
 * Returns the Kysely dialect for a database URL.
 * @param bounds time limits for PostgreSQL
 */
export function dialectOf(url: string, bounds?: Bounds): Dialect {
  const path = /^sqlite:(.*)/.exec(url)?.[1];
  return path === undefined ? postgresDialect(url, bounds) : sqliteDialect(path);
}

const explained = (error: unknown): ExplainedError =>
  error instanceof ExplainedError ? error : notOpened(error);

/** Creates the error for a database that can't be opened. Leaves out the URL, which may contain a password. */
function notOpened(error: unknown): ExplainedError {
  const why = error instanceof Error ? error.message || error.name : String(error);
  return new ExplainedError(
    `Couldn't open or migrate the database (${why}). Check DATABASE_URL, and that its file is writable or its server is reachable.`,
    { cause: error },
  );
}
