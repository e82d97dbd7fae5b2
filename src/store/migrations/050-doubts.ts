import type { Kysely } from 'kysely';

/** What must be looked at again because two replicas may have written to Slack for one request. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['doubted_at', 'doubles_look_at', 'show_again_at']) {
    await db.schema.alterTable('requests').addColumn(name, 'bigint').execute();
  }
}
