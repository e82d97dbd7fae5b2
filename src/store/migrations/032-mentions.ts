import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mentions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('mention_json', 'text', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .execute();
  await db.schema.createIndex('mentions_due').on('mentions').columns(['due_at']).execute();
}
