import type { Kysely } from 'kysely';

/** Whether a step waits for the end of its run, so that those which do are not looked at before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('workflow_waits').addColumn('waits_for', 'text').execute();
}
