import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** What is shown of a run is in its row; the pairs stay for lists that ask for one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_runs')
    .addColumn('metadata_json', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
  const asObject =
    db.getExecutor().adapter instanceof PostgresAdapter
      ? sql`json_object_agg(key, value)::text`
      : sql`json_group_object(key, value)`;
  await sql`update service_runs set metadata_json =
    (select ${asObject} from service_run_metadata m where m.run_id = service_runs.id)
    where id in (select run_id from service_run_metadata)`.execute(db);
}
