import { type RawBuilder, sql, type Transaction } from 'kysely';
import { liveSteps, requestSteps } from '../../requests/steps.ts';
import type { DatabaseSchema, Db } from '../schema.ts';

type Trx = Transaction<DatabaseSchema>;

const overSteps = requestSteps.filter((step) => !liveSteps.includes(step));

/**
 * Deletes ended requests with all their data, except durations, which identify no one. Their messages stay in Slack.
 */
export function createRequestRemoval(db: Db) {
  return {
    /** Returns requests that ended before this time. */
    overBefore: async (time: number, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('requests')
        .select('id')
        .where('step', 'in', overSteps)
        .where('accepted_at', '<', time)
        .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '<', time)]))
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Deletes requests. Returns the number of deleted requests. */
    remove: (ids: readonly string[]): Promise<number> =>
      db.transaction().execute((trx) => removeRequests(trx, ids)),
  };
}
export type RequestRemoval = ReturnType<typeof createRequestRemoval>;

const isOver = sql<boolean>`step in (${sql.join(overSteps)})`;

/**
 * Deletes requests with their posts, answers and other data.
 * @param condition which of the requests to delete; by default those that have ended
 */
export async function removeRequests(
  trx: Trx,
  ids: readonly string[],
  condition: RawBuilder<boolean> = isOver,
): Promise<number> {
  const deleted = await trx
    .deleteFrom('requests')
    .where('id', 'in', ids)
    .where(condition)
    .returning('id')
    .execute();
  const gone = deleted.map(({ id }) => id);
  if (gone.length === 0) return 0;
  await trx.deleteFrom('outbox').where('request_id', 'in', gone).execute();
  await trx.deleteFrom('outbox').where('id', 'in', gone).execute();
  for (const table of ['request_watchers', 'run_feedback', 'answers'] as const)
    await trx.deleteFrom(table).where('request_id', 'in', gone).execute();
  await trx.deleteFrom('inbox').where('waits_for_request', 'in', gone).execute();
  return gone.length;
}
