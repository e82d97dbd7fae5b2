import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_runs')
    .addColumn('followups_closed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('service_keys')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('creator_type', 'text', (column) => column.notNull())
    .addColumn('creator_uid', 'text', (column) => column.notNull())
    .addColumn('display_name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
}
