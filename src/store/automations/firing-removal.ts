import { sql } from 'kysely';
import type { Db } from '../schema.ts';

const dayMs = 24 * 60 * 60_000;
/** Days to keep the bodies of deliveries, and the history. */
const bodyDays = 7;
const historyDays = 90;
/** Max bodies to keep of one automation's deliveries that didn't match. Only *Test* uses them. */
const mostUnmatched = 20;
/** Max firings of one automation that are kept longer than a day. Limits and repeats need those of the last day. */
const mostKept = 500;
/** Max rows that one statement changes, because more would keep other writes waiting. */
const atOnce = 500;

export type FiringRemoval = ReturnType<typeof createFiringRemoval>;

/** Deletes old firings. Those that aren't decided yet stay. */
export function createFiringRemoval(db: Db) {
  const decided = () =>
    db.selectFrom('automation_firings').select('id').where('state', '<>', 'waiting').limit(atOnce);

  const remove = async (ids: ReturnType<typeof decided>): Promise<number> => {
    const deleted = db.deleteFrom('automation_firings').where('id', 'in', ids);
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  };

  const removeBodies = async (ids: ReturnType<typeof decided>): Promise<number> => {
    const changed = db.updateTable('automation_firings').set({ body: null }).where('id', 'in', ids);
    return Number((await changed.executeTakeFirst()).numUpdatedRows);
  };

  return {
    /** Deletes some of what is too old. Returns the number of changed rows; zero once nothing is left. */
    async removeSome(now: number): Promise<number> {
      const bodies = await removeBodies(
        decided()
          .where('body', 'is not', null)
          .where('happened_at', '<', now - bodyDays * dayMs),
      );
      const old = await remove(decided().where('happened_at', '<', now - historyDays * dayMs));
      return bodies + old + (await removeUnmatched()) + (await removeSurplus(now));
    },
  };

  /** Deletes the bodies of deliveries that didn't match, except the newest of each automation. */
  async function removeUnmatched(): Promise<number> {
    const unmatched = () =>
      db
        .selectFrom('automation_firings')
        .where('state', '=', 'unmatched')
        .where('body', 'is not', null);
    const crowded = await unmatched()
      .select('automation_id')
      .groupBy('automation_id')
      .having(sql<number>`count(*)`, '>', mostUnmatched)
      .execute();
    let changed = 0;
    for (const { automation_id: id } of crowded) {
      const surplus = unmatched()
        .select('id')
        .where('automation_id', '=', id)
        .orderBy('happened_at', 'desc')
        .orderBy('id', 'desc')
        .offset(mostUnmatched)
        .limit(atOnce);
      changed += await removeBodies(surplus);
    }
    return changed;
  }

  async function removeSurplus(now: number): Promise<number> {
    const crowded = await db
      .selectFrom('automation_firings')
      .select('automation_id')
      .where('happened_at', '<', now - dayMs)
      .groupBy('automation_id')
      .having(sql<number>`count(*)`, '>', mostKept)
      .execute();
    let deleted = 0;
    for (const { automation_id: id } of crowded) {
      const oldest = await db
        .selectFrom('automation_firings')
        .select('happened_at')
        .where('automation_id', '=', id)
        .where('happened_at', '<', now - dayMs)
        .orderBy('happened_at', 'desc')
        .offset(mostKept)
        .limit(1)
        .executeTakeFirst();
      if (!oldest) continue;
      deleted += await remove(
        decided().where('automation_id', '=', id).where('happened_at', '<=', oldest.happened_at),
      );
    }
    return deleted;
  }
}
