import { type Kysely, sql } from 'kysely';
import { createRunSearch, serviceTables } from './001-service-tables.ts';

/**
 * All tables of the service. Until the first release, change these files; existing databases are thrown away. From the
 * first release on, an applied migration is never edited: every change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of serviceTables) await sql.raw(statement).execute(db);
  await createRunSearch(db);
}
