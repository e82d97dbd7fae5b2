import type { Db } from '../../src/store/schema.ts';

const times = [
  'due_at',
  'post_began_at',
  'look_at',
  'missing_since',
  'duplicate_suspected_at',
  'duplicates_check_at',
  'show_again_at',
] as const;

/**
 * Has the same effect as waiting: moves all times of requests back. Requests are updated last and in one statement, so
 * that a worker never sees old and new times mixed.
 */
export async function passTime(db: Db, ms: number): Promise<void> {
  await db
    .updateTable('notices')
    .set((row) => ({ due_at: row('due_at', '-', ms), began_at: row('began_at', '-', ms) }))
    .execute();
  await db
    .updateTable('requests')
    .set((row) => Object.fromEntries(times.map((column) => [column, row(column, '-', ms)])))
    .execute();
}
