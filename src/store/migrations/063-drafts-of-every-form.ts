import type { Kysely } from 'kysely';

/** Whether the person has opened the whole form. Apart from the rest: two may write at the same time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('drafts')
    .addColumn('is_whole', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
