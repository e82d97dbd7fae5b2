import type { Kysely } from 'kysely';

/** What each person's Home tab shows, so that any replica can go on with it, also after a restart. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('home_views')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('cursors_json', 'text', (column) => column.notNull())
    .addColumn('listing_key', 'text')
    .addColumn('listing_json', 'text')
    .addColumn('listed_at', 'bigint')
    .addColumn('active_until', 'bigint', (column) => column.notNull())
    .addColumn('refresh_at', 'bigint', (column) => column.notNull())
    .addColumn('shown', 'text')
    .addPrimaryKeyConstraint('home_views_key', ['team_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('home_views_active')
    .on('home_views')
    .columns(['active_until', 'refresh_at'])
    .execute();
}
