import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('creator_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('message_channel_id', 'text')
    .addColumn('message_ts', 'text')
    .addColumn('prompt', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('config_json', 'text', (column) => column.notNull())
    .addColumn('step', 'text', (column) => column.notNull())
    .addColumn('post_began_at', 'bigint')
    .addColumn('create_began_at', 'bigint')
    .addColumn('run_id', 'text')
    .addColumn('run_state', 'text')
    .addColumn('run_json', 'text')
    .addColumn('problem_json', 'text')
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('shown', 'text')
    .addColumn('due_at', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('accepted_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await index('requests_due', ['due_at']);
  await index('requests_run', ['run_id']);
  await index('requests_creator', ['team_id', 'creator_id', 'accepted_at']);
  await index('requests_recent', ['team_id', 'accepted_at']);

  function index(name: string, columns: string[]): Promise<void> {
    return db.schema.createIndex(name).on('requests').columns(columns).execute();
  }
}
