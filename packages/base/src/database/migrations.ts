import { DEFAULT_MIGRATION_TABLE, type Migration, sql } from 'kysely';
import * as initial from '../../../../src/store/migrations/001-initial.ts';
import type { Db } from '../../../../src/store/schema.ts';
import { isPostgres } from './clock.ts';

/** Applied in the order of their names. */
export const migrations: Record<string, Migration> = {
  '001-initial': initial,
};

/** The names of those that were applied to a database. */
export async function readApplied(db: Db): Promise<string[]> {
  if (!(await hasAny(db))) return [];
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Kysely's introspection reads every column of every table, which takes most of a start. */
async function hasAny(db: Db): Promise<boolean> {
  const { rows } = await (isPostgres(db)
    ? sql`select 1 where to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null`
    : sql`select 1 from sqlite_master where name = ${DEFAULT_MIGRATION_TABLE}`
  ).execute(db);
  return rows.length > 0;
}
