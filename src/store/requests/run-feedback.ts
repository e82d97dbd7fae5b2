import { isOwned } from '../database-owner.ts';
import type { Db } from '../schema.ts';

export type RunFeedback = ReturnType<typeof createRunFeedback>;

export type Rating = { userId: string; isGood: boolean };

/** Stores ratings of results, one per person and run. */
export function createRunFeedback(db: Db) {
  return {
    /**
     * Stores a person's last rating, even if an earlier click arrives later.
     * @param at Slack's time of the click (epoch ms)
     */
    async give(
      { id, teamId }: { id: string; teamId: string },
      { userId, isGood, at }: Rating & { at: number },
    ): Promise<void> {
      const rating = { is_good: isGood ? 1 : 0, given_at: at };
      await db
        .insertInto('run_feedback')
        .values({ request_id: id, user_id: userId, team_id: teamId, ...rating })
        .onConflict((conflict) =>
          conflict
            .columns(['request_id', 'user_id'])
            .doUpdateSet(rating)
            .where('run_feedback.given_at', '<=', at),
        )
        .execute();
    },

    async ofRuns(requestIds: readonly string[]): Promise<Rating[]> {
      if (requestIds.length === 0) return [];
      const rows = await db
        .selectFrom('run_feedback')
        .select(['user_id', 'is_good'])
        .where('request_id', 'in', requestIds)
        .where(isOwned('run_feedback'))
        .execute();
      return rows.map((row) => ({ userId: row.user_id, isGood: row.is_good === 1 }));
    },
  };
}
