import { nowMs } from './clock.ts';
import type { RequestStep } from './request-steps.ts';
import type { Db } from './schema.ts';

export type RequestMarks = ReturnType<typeof createRequestMarks>;

/** A cancel that nothing came of may be asked for again after this time. */
const cancelPatienceMs = 60_000;

/** What people's buttons write on a request while others may work on it: single columns, each change made once. */
export function createRequestMarks(db: Db) {
  return {
    /** Answers true to the one who asks first; a second cancel within a minute answers false. */
    async askCancel(id: string, userId: string, now: number): Promise<boolean> {
      const updated = await db
        .updateTable('requests')
        .set({ cancel_asked_at: now, cancel_asked_by: userId })
        .where('id', '=', id)
        .where((where) =>
          where.or([
            where('cancel_asked_at', 'is', null),
            where('cancel_asked_at', '<', now - cancelPatienceMs),
          ]),
        )
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    async forgetCancel(id: string): Promise<void> {
      await db
        .updateTable('requests')
        .set({ cancel_asked_at: null, cancel_asked_by: null })
        .where('id', '=', id)
        .execute();
    },

    /** Answers whether that changed anything. */
    async unfollow(id: string, now: number): Promise<boolean> {
      const updated = await db
        .updateTable('requests')
        .set({ unfollowed_at: now })
        .where('id', '=', id)
        .where('step', '=', 'following')
        .where('unfollowed_at', 'is', null)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    async followAgain(id: string, now: number): Promise<boolean> {
      const updated = await db
        .updateTable('requests')
        .set({ unfollowed_at: null, look_at: null, followed_since: now, problem_json: null })
        .where('id', '=', id)
        .where('unfollowed_at', 'is not', null)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    /** A run that was given up because its service did not know it, and that it knows again. */
    async followFound(id: string, now: number): Promise<boolean> {
      const updated = await db
        .updateTable('requests')
        .set({
          ...{ step: 'following' satisfies RequestStep, failures: 0, problem_json: null },
          ...{ ended_at: null, replied_at: null, missing_since: null, look_at: null },
          followed_since: now,
        })
        .where('id', '=', id)
        .where('step', '=', 'ended')
        .where('missing_since', 'is not', null)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    /** Answers true to the one who asks first. */
    async askPointer(id: string, userId: string, now: number): Promise<boolean> {
      const updated = await db
        .updateTable('requests')
        .set({ pointer_asked_at: now, pointer_asked_by: userId })
        .where('id', '=', id)
        .where('pointer_asked_at', 'is', null)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    /** Makes a request due, so that its message shows what was marked; also while somebody is at work on it. */
    async makeDue(id: string): Promise<void> {
      await db
        .updateTable('requests')
        .set({ due_at: nowMs(db) })
        .where('id', '=', id)
        .execute();
    },
  };
}
