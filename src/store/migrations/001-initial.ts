import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { auditTables, auditTriggers } from './001-audit-tables.ts';
import { automationTables } from './001-automation-tables.ts';
import { messageTriggers, requestTables } from './001-request-tables.ts';
import { slackTables } from './001-slack-tables.ts';

/**
 * Creates all tables of the bot. Until the first release, edit these files, because existing databases aren't kept.
 * After that, never edit an applied migration. Add a new one for every change.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const kind = isPostgres ? 'postgres' : 'sqlite';
  const triggers = [...messageTriggers[kind], ...auditTriggers[kind]];
  const tables = [...slackTables, ...requestTables, ...automationTables, ...auditTables(kind)];
  for (const statement of [...tables, ...triggers]) await sql.raw(statement).execute(db);
}
