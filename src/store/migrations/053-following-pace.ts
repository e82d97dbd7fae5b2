import { type Kysely, sql } from 'kysely';

/**
 * Requests that have ended and are due are found without reading all that is due. Connections remember which run was
 * checked last, and when the next is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('requests_ended_due')
    .on('requests')
    .column('due_at')
    .where(sql<boolean>`ended_at is not null and due_at is not null`)
    .execute();
  await db.schema
    .alterTable('connections')
    .addColumn('check_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('connections').addColumn('checked_run_id', 'text').execute();
}
