import type { Kysely } from 'kysely';

/** How long runs waited and worked, and whether somebody was told that one needs them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('run_lengths')
    .addColumn('request_id', 'text', (column) => column.primaryKey())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('waited_ms', 'bigint')
    .addColumn('worked_ms', 'bigint')
    .addColumn('ended_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('run_lengths_recent')
    .on('run_lengths')
    .columns(['environment', 'ended_at'])
    .execute();
  await db.schema.alterTable('requests').addColumn('usual_json', 'text').execute();
  await db.schema.alterTable('requests').addColumn('nudged_at', 'bigint').execute();
}
