import type { Kysely } from 'kysely';

/** Runs that were created before a moment and changed after it are found without reading their rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('service_runs_by_created_at_updated_at')
    .on('service_runs')
    .columns(['created_at', 'updated_at', 'id'])
    .execute();
}
