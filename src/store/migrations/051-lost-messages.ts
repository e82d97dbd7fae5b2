import type { Kysely } from 'kysely';

/** Run messages that can be changed no more and stand elsewhere now; runs that are followed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = [
    ['post_anew', 'text'],
    ['lost_channel_id', 'text'],
    ['lost_message_ts', 'text'],
    ['followed_since', 'bigint'],
  ] as const;
  for (const [name, type] of columns) {
    await db.schema.alterTable('requests').addColumn(name, type).execute();
  }
}
