import {
  DEFAULT_MIGRATION_TABLE,
  type Dialect,
  Kysely,
  type Migration,
  Migrator,
  sql,
} from 'kysely';
import { ExplainedError } from '../lib/explained-error.ts';
import { migrations } from './migrations.ts';
import { postgresDialect } from './postgres.ts';
import type { DatabaseSchema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

export type Db = Kysely<DatabaseSchema>;

/**
 * Opens the database and brings its tables up to date.
 * @param url `sqlite:<path>`, `sqlite::memory:` or `postgres://…`
 * @throws ExplainedError when the database cannot be opened or a migration fails; the cause is the driver's error
 */
export async function openDatabase(url: string): Promise<Db> {
  const db: Db = new Kysely({ dialect: openDialect(url) });
  const newer = await appliedByNewer(db).catch(async (error: unknown) => {
    await db.destroy();
    throw notOpened(error);
  });
  const provider = { getMigrations: async () => ({ ...migrations, ...newer }) };
  // Changes that do not touch one another may arrive in another order than their numbers.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  if (error) {
    await db.destroy();
    throw notOpened(error);
  }
  return db;
}

/**
 * Changes that a newer version has made to this database. Changes only add, so an older version goes on beside it while
 * replicas are replaced one by one; without these names Kysely would refuse to start.
 */
async function appliedByNewer(db: Db): Promise<Record<string, Migration>> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return {};
  const applied = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  const unknown = applied.rows.filter(({ name }) => !Object.hasOwn(migrations, name));
  return Object.fromEntries(unknown.map(({ name }) => [name, { up: async () => undefined }]));
}

function openDialect(url: string): Dialect {
  try {
    const path = /^sqlite:(.*)/.exec(url)?.[1];
    return path === undefined ? postgresDialect(url) : sqliteDialect(path);
  } catch (error) {
    throw notOpened(error);
  }
}

/** Without the URL, which may hold a password. */
function notOpened(error: unknown): ExplainedError {
  const why = error instanceof Error ? error.message || error.name : String(error);
  return new ExplainedError(
    `The database could not be opened and brought up to date (${why}). Check DATABASE_URL, and that its file may be written or its server is reachable.`,
    { cause: error },
  );
}
