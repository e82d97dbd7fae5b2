import { isOwned } from '../database-owner.ts';
import type { Db } from '../schema.ts';

export type RequestWatchers = ReturnType<typeof createRequestWatchers>;

/** Stores who selected *Notify me*, and who turned it off again. */
export function createRequestWatchers(db: Db) {
  return {
    /**
     * Returns the people who turned notifications on or off, oldest choice first. `wants: false` means don't notify.
     */
    async list(requestId: string): Promise<{ userId: string; wants: boolean }[]> {
      const rows = await db
        .selectFrom('request_watchers')
        .select(['user_id', 'wants'])
        .where('request_id', '=', requestId)
        .where(isOwned('request_watchers'))
        .orderBy('changed_at')
        .orderBy('user_id')
        .execute();
      return rows.map((row) => ({ userId: row.user_id, wants: row.wants === 1 }));
    },

    async set(requestId: string, userId: string, wants: boolean): Promise<void> {
      const changed = { wants: wants ? 1 : 0, changed_at: Date.now() };
      await db
        .insertInto('request_watchers')
        .values((eb) => ({
          request_id: requestId,
          user_id: userId,
          ...changed,
          team_id: eb.selectFrom('requests').select('team_id').where('id', '=', requestId),
        }))
        .onConflict((conflict) => conflict.columns(['request_id', 'user_id']).doUpdateSet(changed))
        .execute();
    },
  };
}
