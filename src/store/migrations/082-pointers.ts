import type { Kysely } from 'kysely';

/** Who wanted a run that stands in a thread shown in its channel, and since when it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = [
    ['pointer_asked_at', 'bigint'],
    ['pointer_asked_by', 'text'],
    ['pointed_at', 'bigint'],
  ] as const;
  for (const [name, type] of columns) {
    await db.schema.alterTable('requests').addColumn(name, type).execute();
  }
}
