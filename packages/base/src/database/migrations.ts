import { type Migration, Migrator, sql } from 'kysely';
import { ExplainedError } from '../explained-error.ts';
import { isPostgres } from './clock.ts';
import { lockUntilCommit } from './lock-until-commit.ts';
import type { AnyDb, Tables } from './tables.ts';

/**
 * Applies the migrations that a database is missing.
 * @throws ExplainedError if it has tables of an earlier build
 */
export async function migrate(db: AnyDb, tables: Tables): Promise<void> {
  const applied = await readApplied(db, tables);
  if (applied.length === 0) await rejectEarlier(db, tables);
  if (Object.keys(tables.migrations).every((name) => applied.includes(name))) return;
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () => ({ ...tables.migrations, ...newerThanOurs(applied, tables) }),
    },
    migrationTableName: tables.history,
    migrationLockTableName: `${tables.history}_lock`,
    // Allow any order, because independent migrations may be merged in a different order than their numbers.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Creates the tables that all products share. */
export async function createSharedTables(db: AnyDb): Promise<void> {
  if (await hasTable(db, 'encryption_check')) return;
  await db.transaction().execute(async (trx) => {
    await lockUntilCommit(trx, 'shared tables');
    await sql`create table if not exists encryption_check (id text primary key, proof text not null)`.execute(
      trx,
    );
  });
}

/** Returns the names of the migrations that were applied to a database. */
export async function readApplied(db: AnyDb, { history }: Tables): Promise<string[]> {
  if (!(await hasTable(db, history))) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(history)}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Returns the tables of the products that have ever used this database.
 * @throws ExplainedError if it has tables of an earlier build
 */
export async function presentTables(db: AnyDb, all: readonly Tables[]): Promise<Tables[]> {
  const present: Tables[] = [];
  for (const tables of all)
    if (await hasTable(db, tables.history)) present.push(tables);
    else await rejectEarlier(db, tables);
  return present;
}

/** Throws if the database has tables of an earlier build. A key rotation wouldn't find the encrypted values in them. */
async function rejectEarlier(db: AnyDb, tables: Tables): Promise<void> {
  for (const table of Object.keys(tables.encryptedColumns)) {
    if (!(await hasTable(db, table))) continue;
    // Check the history again, because another process may have just created the tables.
    if ((await readApplied(db, tables)).length > 0) return;
    throw new ExplainedError(
      `The database has a table "${table}" of an earlier build or another program, which this version can't use. Set DATABASE_URL to an empty database, or DATA_DIR to an empty folder.`,
    );
  }
}

/**
 * Returns true if a table exists. Doesn't use Kysely's introspection, because it reads every column of every table.
 * That would take most of the startup time.
 */
async function hasTable(db: AnyDb, name: string): Promise<boolean> {
  const { rows } = await (isPostgres(db)
    ? sql`select 1 where to_regclass(${name}) is not null`
    : sql`select 1 from sqlite_master where name = ${name}`
  ).execute(db);
  return rows.length > 0;
}

/**
 * Returns migrations that a newer version applied. Those only add columns and tables, so this version can run next to
 * it during a rolling update. Kysely fails to start without their names. See
 * docs/decisions/002-a-version-and-the-next-one-share-a-database.md.
 */
function newerThanOurs(
  applied: readonly string[],
  { migrations }: Tables,
): Record<string, Migration> {
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  return Object.fromEntries(unknown.map((name) => [name, { up: async () => undefined }]));
}
