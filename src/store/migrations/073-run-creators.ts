import type { Kysely } from 'kysely';

/** Who was seen to start runs outside of Slack: no runs API lists its creators. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('run_creators')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_creators_key', ['team_id', 'value'])
    .execute();
  await db.schema
    .createIndex('run_creators_seen')
    .on('run_creators')
    .columns(['team_id', 'seen_at'])
    .execute();
}
