import { sql } from 'kysely';
import type { Db } from '../schema.ts';

const dayMs = 24 * 60 * 60_000;
/** Days to keep the bodies of deliveries and what started no run because of a filter, a limit or a right. */
const shortDays = 7;
/** Days to keep the rest of the history, which the limits of automations bound. */
const historyDays = 90;
const keptShort = ['unmatched', 'skipped'];
/** Max bodies to keep of one automation's deliveries that started no run. Only *Test* uses them. */
const mostUnused = 20;
/** Max rows that one statement changes, because more would keep other writes waiting. */
const atOnce = 500;

export type FiringRemoval = ReturnType<typeof createFiringRemoval>;

/** Deletes old firings. Those that aren't decided yet stay. */
export function createFiringRemoval(db: Db) {
  const decidedBefore = (time: number) =>
    db
      .selectFrom('automation_firings')
      .select('id')
      .where('state', '<>', 'waiting')
      .where('happened_at', '<', time)
      .limit(atOnce);

  const remove = async (ids: ReturnType<typeof decidedBefore>): Promise<number> => {
    const deleted = db.deleteFrom('automation_firings').where('id', 'in', ids);
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  };

  const removeBodies = async (ids: ReturnType<typeof decidedBefore>): Promise<number> => {
    const changed = db.updateTable('automation_firings').set({ body: null }).where('id', 'in', ids);
    return Number((await changed.executeTakeFirst()).numUpdatedRows);
  };

  return {
    /** Deletes some of what is too old. Returns the number of changed rows; zero once nothing is left. */
    async removeSome(now: number): Promise<number> {
      const afterShort = decidedBefore(now - shortDays * dayMs);
      const bodies = await removeBodies(afterShort.where('body', 'is not', null));
      const short = await remove(afterShort.where('state', 'in', keptShort));
      const old = await remove(decidedBefore(now - historyDays * dayMs));
      return bodies + short + old + (await removeUnused());
    },
  };

  /** Deletes the bodies of deliveries that started no run, except the newest of each automation. */
  async function removeUnused(): Promise<number> {
    const unused = () =>
      db
        .selectFrom('automation_firings')
        .where('state', 'in', keptShort)
        .where('body', 'is not', null);
    const crowded = await unused()
      .select('automation_id')
      .groupBy('automation_id')
      .having(sql<number>`count(*)`, '>', mostUnused)
      .execute();
    let changed = 0;
    for (const { automation_id: id } of crowded) {
      const ofOne = unused().select('id').where('automation_id', '=', id);
      const oldest = ofOne.orderBy('happened_at', 'desc').orderBy('id', 'desc').offset(mostUnused);
      changed += await removeBodies(oldest.limit(atOnce));
    }
    return changed;
  }
}
