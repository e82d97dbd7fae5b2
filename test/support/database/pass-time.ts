import type { Db } from '../../../src/store/schema.ts';

const ofRequests = ['due_at', 'next_poll_at', 'missing_since'] as const;
const ofPosts = ['due_at', 'began_at', 'suspected_at', 'check_at', 'show_again_at'] as const;

/** Moves all times of requests and posts back, which has the same effect as waiting. Uses one statement per table. */
export async function passTime(db: Db, ms: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set((row) => Object.fromEntries(ofPosts.map((column) => [column, row(column, '-', ms)])))
    .execute();
  await db
    .updateTable('requests')
    .set((row) => Object.fromEntries(ofRequests.map((column) => [column, row(column, '-', ms)])))
    .execute();
}
