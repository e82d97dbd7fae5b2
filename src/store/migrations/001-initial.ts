import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { messageTriggers, requestTables } from './001-request-tables.ts';
import { createRunSearch, serviceTables } from './001-service-tables.ts';
import { slackTables } from './001-slack-tables.ts';

/**
 * The whole database. Until the first release, change these files; existing databases are thrown away. From the first
 * release on, an applied migration is never edited: every change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const triggers = messageTriggers[isPostgres ? 'postgres' : 'sqlite'];
  for (const statement of [...slackTables, ...requestTables, ...triggers, ...serviceTables])
    await sql.raw(statement).execute(db);
  await createRunSearch(db);
}
