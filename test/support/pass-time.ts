import type { Db } from '../../src/store/schema.ts';

const times = [
  'due_at',
  'post_began_at',
  'look_at',
  'missing_since',
  'doubted_at',
  'doubles_look_at',
  'show_again_at',
] as const;

/**
 * The same as waiting so long: what requests wait for lies so much nearer, what they remember so much further back.
 * Requests come last and whole: who works on one as soon as it is due finds no notice and no other time of before.
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
