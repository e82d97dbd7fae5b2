import type { Kysely } from 'kysely';

/** When a place was found closed for a notice, so that people were told elsewhere instead. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('notices').addColumn('moved_at', 'bigint').execute();
}
