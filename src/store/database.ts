import { Kysely, Migrator } from 'kysely';
import { migrations } from './migrations.ts';
import { postgresDialect } from './postgres.ts';
import type { DatabaseSchema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

export type Db = Kysely<DatabaseSchema>;

/**
 * Opens the database and brings its tables up to date.
 * @param url `sqlite:<path>`, `sqlite::memory:` or `postgres://…`
 * @throws when the database cannot be opened or a migration fails; the cause is the driver's error
 */
export async function openDatabase(url: string): Promise<Db> {
  const db: Db = new Kysely({
    dialect: url.startsWith('sqlite:')
      ? sqliteDialect(url.slice('sqlite:'.length))
      : postgresDialect(url),
  });
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) {
    await db.destroy();
    throw new Error('The database could not be brought up to date.', { cause: error });
  }
  return db;
}
