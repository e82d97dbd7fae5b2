import { nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Time to remember a delivery, in ms. Slack's last retry comes after five minutes. */
const rememberMs = 60 * 60_000;
const pruneEvery = 200;

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Remembers Slack's deliveries for all replicas. */
export function createDeliveries(db: Db) {
  let marked = 0;

  return {
    /** Marks a key. Returns true for the first call with this key. */
    async markFirst(key: string): Promise<boolean> {
      marked += 1;
      if (marked % pruneEvery === 0) await this.prune(rememberMs);
      const inserted = await db
        .insertInto('deliveries')
        .values({ key, seen_at: nowMs(db) })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .executeTakeFirst();
      return inserted.numInsertedOrUpdatedRows === 1n;
    },

    async isMarked(key: string): Promise<boolean> {
      const row = await db
        .selectFrom('deliveries')
        .select('key')
        .where('key', '=', key)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Records that Slack delivered something to a workspace. */
    async noteArrival(teamId: string): Promise<void> {
      await db
        .updateTable('workspaces')
        .set({ delivered_at: nowMs(db, Date.now()) })
        .where('team_id', '=', teamId)
        .execute();
    },

    async prune(olderThanMs: number): Promise<void> {
      const before = sql<number>`${nowMs(db)} - ${olderThanMs}`;
      await db.deleteFrom('deliveries').where('seen_at', '<', before).execute();
    },
  };
}
