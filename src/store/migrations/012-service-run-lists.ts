import { type Kysely, sql } from 'kysely';

/** Lists by metadata walk an index of their own, so the moment of the last change is kept beside each pair. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_run_metadata')
    .addColumn('updated_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update service_run_metadata set updated_at =
    (select updated_at from service_runs r where r.id = service_run_metadata.run_id)`.execute(db);
  await db.schema.dropIndex('service_run_metadata_by_value').execute();
  await db.schema
    .createIndex('service_run_metadata_by_value_updated_at')
    .on('service_run_metadata')
    .columns(['key', 'value', 'updated_at', 'run_id'])
    .execute();
  await db.schema
    .createIndex('service_runs_by_creator_uid_state_updated_at_id')
    .on('service_runs')
    .columns(['creator_uid', 'state', 'updated_at', 'id'])
    .execute();
}
