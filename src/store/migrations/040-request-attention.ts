import type { Kysely } from 'kysely';

/** Who wants what of a followed request: a cancel, silence, a word when it ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = [
    ['cancel_asked_at', 'bigint'],
    ['cancel_asked_by', 'text'],
    ['unfollowed_at', 'bigint'],
    ['reply_began_at', 'bigint'],
    ['replied_at', 'bigint'],
  ] as const;
  for (const [name, type] of columns) {
    await db.schema.alterTable('requests').addColumn(name, type).execute();
  }
  await db.schema
    .createTable('request_watchers')
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('wants', 'integer', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_watchers_key', ['request_id', 'user_id'])
    .execute();
}
