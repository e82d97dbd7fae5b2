import type { Kysely } from 'kysely';

/** With `(step, accepted_at)` alone, looking for the request of a run meant reading all that are followed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('requests_step_run')
    .on('requests')
    .columns(['step', 'run_id'])
    .execute();
}
