import { Secret } from 'base/encryption/secret';
import { sql, type Transaction } from 'kysely';
import { changeRun } from './run-changes.ts';
import type { DatabaseSchema, Db } from './schema.ts';

/**
 * Sets whether the run accepts further messages. Returns false if a process other than `owner` executes the run.
 * @param closed 1 after the last message, 0 to accept messages again
 */
export async function setFollowupsClosed(
  trx: Transaction<DatabaseSchema>,
  runId: string,
  closed: 0 | 1,
  owner?: string,
): Promise<boolean> {
  const changed = await trx
    .updateTable('service_runs')
    .set({ followups_closed: closed })
    .where('id', '=', runId)
    .$if(owner !== undefined, (update) => update.where('lease_owner', '=', owner ?? null))
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

async function isStored(trx: Transaction<DatabaseSchema>, runId: string, key: string) {
  const row = await trx
    .selectFrom('service_run_followups')
    .select('number')
    .where('run_id', '=', runId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  return row !== undefined;
}

export type Followup = { number: number; message: string };

/** Creates the store for people's messages to runs, which returns them in order. */
export function createFollowups(db: Db) {
  return {
    /**
     * Stores the message if the run is in one of the states `from` and still accepts messages. A repeated key is stored
     * once, and accepted even if the run has ended since.
     */
    async add(
      runId: string,
      from: readonly string[],
      { message, key }: { message: string; key: string | null },
    ): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        if (key !== null && (await isStored(trx, runId, key))) return true;
        const condition = { from, acceptsFollowups: true };
        const note = 'Follow-up received';
        if (!(await changeRun(trx, runId, condition, { note }))) return false;
        await trx
          .insertInto('service_run_followups')
          .values({
            run_id: runId,
            number: sql<number>`(select coalesce(max(number), 0) + 1 from service_run_followups where run_id = ${runId})`,
            message: new Secret('message', runId, message),
            created_at: Date.now(),
            idempotency_key: key,
          })
          .onConflict((conflict) => conflict.columns(['run_id', 'idempotency_key']).doNothing())
          .execute();
        return true;
      });
    },

    /**
     * Returns the first message after number `after`. If there's none, closes the run for messages and returns
     * undefined. Can be repeated. Does nothing if another process executes the run.
     */
    async takeOrClose(runId: string, after: number, owner?: string): Promise<Followup | undefined> {
      return db.transaction().execute(async (trx) => {
        // Write first to lock the run's row, so that `add` can't store a message at the same time.
        if (!(await setFollowupsClosed(trx, runId, 1, owner))) return undefined;
        const next = await trx
          .selectFrom('service_run_followups')
          .select(['number', 'run_id', 'message'])
          .where('run_id', '=', runId)
          .where('number', '>', after)
          .orderBy('number')
          .limit(1)
          .executeTakeFirst();
        if (!next) return undefined;
        await setFollowupsClosed(trx, runId, 0);
        return { number: next.number, message: next.message };
      });
    },

    async listOf(runId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('service_run_followups')
        .select(['run_id', 'message'])
        .where('run_id', '=', runId)
        .orderBy('number')
        .execute();
      return rows.map(({ message }) => message);
    },
  };
}
export type Followups = ReturnType<typeof createFollowups>;
