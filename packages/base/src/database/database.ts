import { type Dialect, Kysely, type Migration, Migrator } from 'kysely';
import type { Db } from '../../../../src/store/schema.ts';
import { encryptingDialect } from '../encryption/encrypting-dialect.ts';
import { checkKey } from '../encryption/key-check.ts';
import { ExplainedError } from '../explained-error.ts';
import type { Encryption } from '../secrets/encryption.ts';
import { isPostgres } from './clock.ts';
import { migrations, readApplied } from './migrations.ts';
import type { Bounds } from './postgres/bounded-pool.ts';
import { postgresDialect } from './postgres/postgres.ts';
import { type OnStatement, reportStatements } from './report-statements.ts';
import { sqliteDialect } from './sqlite/sqlite.ts';

/** Background work fails and is repeated instead of waiting for a broken connection. */
const background: Bounds = { withinMs: 30_000, isAllOrNothing: false };
/** Slack waits three seconds. What can't be saved by then must not be saved later. */
const promptWithinMs = 2_000;

export type DatabaseOptions = {
  /** Absent for commands that use no encrypted column. */
  encryption?: Encryption | undefined;
  /** Aborts statements of a PostgreSQL that doesn't answer. */
  stopping?: AbortSignal | undefined;
  /** Called after each statement. */
  onStatement?: OnStatement | undefined;
};

/**
 * Opens the database and brings its tables up to date.
 * @param url `sqlite:<path>`, `sqlite::memory:` or `postgres://…`
 * @throws ExplainedError when the database can't be opened, a migration fails, or it needs another key; the cause is the
 * driver's error
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Db> {
  const migrated = await migrate(url, options);
  if (!isPostgres(migrated)) return migrated;
  await migrated.destroy();
  return openBounded(url, background, options);
}

/** For a command: the database is closed when its work ends. */
export async function withDatabase<T>(
  url: string,
  options: DatabaseOptions,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const db = await openDatabase(url, options);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/**
 * The same database for work that a person waits for: PostgreSQL saves in time, or throws `StoreUnavailable`.
 * @param db what `openDatabase` returned for this `url`
 */
export const openForRequests = (
  db: Db,
  url: string,
  options: DatabaseOptions,
  withinMs = promptWithinMs,
): Db => (isPostgres(db) ? openBounded(url, { withinMs, isAllOrNothing: true }, options) : db);

function openBounded(url: string, bounds: Bounds, options: DatabaseOptions): Db {
  const { encryption, stopping, onStatement } = options;
  const dialect = postgresDialect(url, { ...bounds, stopping });
  return new Kysely({
    dialect: encryptingDialect(dialect, encryption),
    ...reportStatements(onStatement),
  });
}

async function migrate(url: string, { encryption, onStatement }: DatabaseOptions): Promise<Db> {
  const db: Db = new Kysely({
    dialect: encryptingDialect(openDialect(url), encryption),
    ...reportStatements(onStatement),
  });
  try {
    await bringUpToDate(db);
    if (encryption) await checkKey(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error instanceof ExplainedError ? error : notOpened(error);
  }
}

async function bringUpToDate(db: Db): Promise<void> {
  const applied = await readApplied(db);
  if (Object.keys(migrations).every((name) => applied.includes(name))) return;
  const provider = { getMigrations: async () => ({ ...migrations, ...newerThanOurs(applied) }) };
  // Independent migrations may be merged in another order than their numbers.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/**
 * Migrations that a newer version applied. They only add, so this version can run next to it during a rolling update, but
 * Kysely refuses to start without their names. See docs/decisions/002-a-version-and-the-next-one-share-a-database.md.
 */
function newerThanOurs(applied: readonly string[]): Record<string, Migration> {
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  return Object.fromEntries(unknown.map((name) => [name, { up: async () => undefined }]));
}

function openDialect(url: string): Dialect {
  try {
    return dialectOf(url);
  } catch (error) {
    throw notOpened(error);
  }
}

/** @param bounds for PostgreSQL */
export function dialectOf(url: string, bounds?: Bounds): Dialect {
  const path = /^sqlite:(.*)/.exec(url)?.[1];
  return path === undefined ? postgresDialect(url, bounds) : sqliteDialect(path);
}

/** Without the URL, which may contain a password. */
function notOpened(error: unknown): ExplainedError {
  const why = error instanceof Error ? error.message || error.name : String(error);
  return new ExplainedError(
    `Couldn't open or migrate the database (${why}). Check DATABASE_URL, and that its file is writable or its server is reachable.`,
    { cause: error },
  );
}
