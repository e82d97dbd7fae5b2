import { type Kysely, sql } from 'kysely';
import { createRunSearch, serviceTables } from './001-service-tables.ts';

/**
 * Creates all tables of the service. Until the first release, edit these files, and create databases again. After the
 * first release, never edit an applied migration. Every change is then a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of serviceTables) await sql.raw(statement).execute(db);
  await createRunSearch(db);
}
