import type { Kysely } from 'kysely';

/** Indexes of what a new request does not have yet: an acceptance writes into six fewer of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await rebuild('requests_run', ['run_id'], 'run_id');
  await rebuild('requests_leased', ['lease_owner', 'lease_until'], 'lease_owner');
  await rebuild('requests_session', ['session_link'], 'session_link');
  await rebuild('requests_message', ['message_channel_id', 'message_ts'], 'message_ts');
  await rebuild(
    'requests_environment',
    ['team_id', 'environment_id', 'accepted_at'],
    'environment_id',
  );
  await rebuild('requests_config_name', ['team_id', 'config_name', 'accepted_at'], 'config_name');

  async function rebuild(name: string, columns: string[], known: string): Promise<void> {
    await db.schema.dropIndex(name).execute();
    await db.schema
      .createIndex(name)
      .on('requests')
      .columns(columns)
      .where(known, 'is not', null)
      .execute();
  }
}
