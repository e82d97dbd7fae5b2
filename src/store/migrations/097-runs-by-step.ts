import type { Kysely } from 'kysely';

/** A new request has no run yet: an acceptance writes into one index fewer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('requests_step_run').execute();
  await db.schema
    .createIndex('requests_step_run')
    .on('requests')
    .columns(['step', 'run_id'])
    .where('run_id', 'is not', null)
    .execute();
}
