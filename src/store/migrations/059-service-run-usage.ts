import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('service_runs').addColumn('usage_json', 'text').execute();
}
