import { sql, type Transaction } from 'kysely';
import type { DatabaseSchema, Db } from '../schema.ts';
import { changeServiceRun } from './service-runs.ts';

async function setClosed(trx: Transaction<DatabaseSchema>, runId: string, closed: 0 | 1) {
  await trx
    .updateTable('service_runs')
    .set({ followups_closed: closed })
    .where('id', '=', runId)
    .execute();
}

async function isKept(trx: Transaction<DatabaseSchema>, runId: string, key: string) {
  const row = await trx
    .selectFrom('service_run_followups')
    .select('number')
    .where('run_id', '=', runId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  return row !== undefined;
}

/** Messages that were sent to runs, in their order; each is given out once. */
export function createServiceRunFollowups(db: Db) {
  return {
    /**
     * Keeps the message, if the run is in one of these states and still takes messages. One that comes again with its
     * key is kept once, and is no surprise although the run may have ended since.
     */
    async add(
      runId: string,
      from: readonly string[],
      { message, key }: { message: string; key: string | null },
    ): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        if (key !== null && (await isKept(trx, runId, key))) return true;
        const condition = { from, takesFollowups: true };
        const note = 'Follow-up received';
        if (!(await changeServiceRun(trx, runId, condition, { note }))) return false;
        await trx
          .insertInto('service_run_followups')
          .values({
            run_id: runId,
            number: sql<number>`(select coalesce(max(number), 0) + 1 from service_run_followups where run_id = ${runId})`,
            message,
            created_at: Date.now(),
            taken_at: null,
            idempotency_key: key,
          })
          .onConflict((conflict) => conflict.columns(['run_id', 'idempotency_key']).doNothing())
          .execute();
        return true;
      });
    },

    /** The next message; or undefined, and from then on the run takes no more. */
    async takeOrClose(runId: string): Promise<string | undefined> {
      return db.transaction().execute(async (trx) => {
        // The row of the run is the lock between this and `add`, so it is written first.
        await setClosed(trx, runId, 1);
        const next = await trx
          .selectFrom('service_run_followups')
          .select(['number', 'message'])
          .where('run_id', '=', runId)
          .where('taken_at', 'is', null)
          .orderBy('number')
          .limit(1)
          .executeTakeFirst();
        if (!next) return undefined;
        await setClosed(trx, runId, 0);
        await trx
          .updateTable('service_run_followups')
          .set({ taken_at: Date.now() })
          .where('run_id', '=', runId)
          .where('number', '=', next.number)
          .execute();
        return next.message;
      });
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
