import { type Kysely, sql } from 'kysely';

/** Whether a thread has a run that goes on is asked at every mention, also in a channel with many that are over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('requests_live_in_channel')
    .on('requests')
    .column('message_channel_id')
    .where(sql<boolean>`step in ('posted', 'following')`)
    .execute();
}
