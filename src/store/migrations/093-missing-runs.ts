import type { Kysely } from 'kysely';

/** Since when the runs service does not know a run that is followed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('requests').addColumn('missing_since', 'bigint').execute();
}
