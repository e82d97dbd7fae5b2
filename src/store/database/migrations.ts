import { DEFAULT_MIGRATION_TABLE, type Migration, sql } from 'kysely';
import * as initial from '../migrations/001-initial.ts';
import type { Db } from '../schema.ts';

/** Applied in the order of their names. */
export const migrations: Record<string, Migration> = {
  '001-initial': initial,
};

/** The names of those that were applied to a database. */
export async function readApplied(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return [];
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}
