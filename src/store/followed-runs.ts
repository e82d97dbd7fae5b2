import { sql } from 'kysely';
import type { Run } from '../runs-api/contract.ts';
import { nowMs } from './clock.ts';
import type { Db } from './database.ts';
import { newsTime, type RequestProblem } from './request-row.ts';

export type FollowedRunsStore = ReturnType<typeof createFollowedRunsStore>;

/** The runs that are being followed, all at once: what a sweep asks and tells. */
export function createFollowedRunsStore(db: Db) {
  const followed = () =>
    db.selectFrom('requests').where('step', '=', 'following').where('unfollowed_at', 'is', null);

  return {
    /** Which of these runs are followed. */
    async amongFollowed(runIds: readonly string[]): Promise<Set<string>> {
      if (runIds.length === 0) return new Set();
      const rows = await followed().select('run_id').where('run_id', 'in', runIds).execute();
      return new Set(rows.flatMap(({ run_id }) => (run_id === null ? [] : [run_id])));
    },

    /** Hands over what was seen of followed runs; a request whose run has changed is due at once. */
    async deliverNews(runs: readonly Run[]): Promise<void> {
      if (runs.length === 0) return;
      await db.transaction().execute(async (transaction) => {
        for (const run of runs) {
          const json = JSON.stringify(run);
          const at = newsTime(run);
          await transaction
            .updateTable('requests')
            .set({ news_json: json, news_at: at, due_at: nowMs(db) })
            .where('run_id', '=', run.run_id)
            .where('step', '=', 'following')
            .where('unfollowed_at', 'is', null)
            .where(sql<boolean>`run_json is distinct from ${json}`)
            .where(sql<boolean>`news_json is distinct from ${json}`)
            // A service may keep whole seconds: of two answers with the same time the later counts.
            .where((row) => row.or([row('news_at', 'is', null), row('news_at', '<=', at)]))
            .execute();
        }
      });
    },

    /** When the youngest followed request was accepted; undefined when none is followed. */
    async youngestAcceptedAt(): Promise<number | undefined> {
      const row = await followed()
        .select((select) => select.fn.max('accepted_at').as('at'))
        .executeTakeFirst();
      return row?.at ?? undefined;
    },

    /** Some of the followed runs, those longest without news first. */
    async runIds(limit: number): Promise<string[]> {
      const rows = await followed().select('run_id').orderBy('look_at').limit(limit).execute();
      return rows.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
    },

    /** Has these runs, or all, looked at by themselves now. */
    async lookNow(runIds?: readonly string[]): Promise<void> {
      if (runIds?.length === 0) return;
      let update = db
        .updateTable('requests')
        .set({ look_at: nowMs(db), due_at: nowMs(db) })
        .where('step', '=', 'following');
      if (runIds) update = update.where('run_id', 'in', runIds);
      await update.execute();
    },

    /** Has every followed request's message say what stands in the way. */
    async tellAll(problem: RequestProblem): Promise<void> {
      await db
        .updateTable('requests')
        .set({ problem_json: JSON.stringify(problem), due_at: nowMs(db) })
        .where('step', '=', 'following')
        .where('unfollowed_at', 'is', null)
        .where('problem_json', 'is', null)
        .execute();
    },

    async untellAll(): Promise<void> {
      await db
        .updateTable('requests')
        .set({ problem_json: null, due_at: nowMs(db) })
        .where('step', '=', 'following')
        .where('unfollowed_at', 'is', null)
        .where('problem_json', 'is not', null)
        .execute();
    },
  };
}
