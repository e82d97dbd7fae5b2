import type { Kysely } from 'kysely';

/** By which a message that is sent twice is known again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_run_followups')
    .addColumn('idempotency_key', 'text')
    .execute();
  await db.schema
    .createIndex('service_run_followups_key')
    .on('service_run_followups')
    .columns(['run_id', 'idempotency_key'])
    .unique()
    .execute();
}
