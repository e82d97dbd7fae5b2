import type { Kysely } from 'kysely';

/** When creating began by the runs service's clock: ours may be off, or be set meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('requests').addColumn('create_began_service_at', 'bigint').execute();
}
