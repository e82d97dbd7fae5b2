import { nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import type { Db } from '../schema.ts';

export type SlackWrites = ReturnType<typeof createSlackWrites>;

/** Counts the writes of all replicas to Slack. Stores the time when each limit is fully available again. */
export function createSlackWrites(db: Db) {
  return {
    /**
     * Adds writes.
     * @param spentMs time in which Slack allows this number of writes, in ms
     * @returns the time until the limit is fully available, in ms
     */
    async spend(teamId: string, kind: string, spentMs: number): Promise<number> {
      const now = nowMs(db);
      const spent = Math.round(spentMs);
      const { rows } = await sql<{ ms: number }>`
        insert into slack_writes as existing (team_id, kind, whole_at) values (${teamId}, ${kind}, ${now} + ${sql.lit(spent)})
        on conflict (team_id, kind) do update
        set whole_at = case when existing.whole_at > ${now} then existing.whole_at else ${now} end + ${sql.lit(spent)}
        returning whole_at - ${now} as ms`.execute(db);
      return Number(rows[0]?.ms ?? spent);
    },
  };
}
