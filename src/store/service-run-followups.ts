import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Messages that were sent to runs, in their order; each is given out once. */
export function createServiceRunFollowups(db: Db) {
  return {
    async add(runId: string, message: string): Promise<void> {
      await db
        .insertInto('service_run_followups')
        .values({
          run_id: runId,
          number: sql<number>`(select coalesce(max(number), 0) + 1 from service_run_followups where run_id = ${runId})`,
          message,
          created_at: Date.now(),
          taken_at: null,
        })
        .execute();
    },

    async take(runId: string): Promise<string | undefined> {
      const next = await db
        .selectFrom('service_run_followups')
        .select('number')
        .where('run_id', '=', runId)
        .where('taken_at', 'is', null)
        .orderBy('number')
        .limit(1)
        .executeTakeFirst();
      if (!next) return undefined;
      const taken = await db
        .updateTable('service_run_followups')
        .set({ taken_at: Date.now() })
        .where('run_id', '=', runId)
        .where('number', '=', next.number)
        .returning('message')
        .executeTakeFirst();
      return taken?.message;
    },

    async listOf(runId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('service_run_followups')
        .select('message')
        .where('run_id', '=', runId)
        .orderBy('number')
        .execute();
      return rows.map(({ message }) => message);
    },
  };
}
export type ServiceRunFollowups = ReturnType<typeof createServiceRunFollowups>;
