import { isPostgres, nowMs } from 'base/database/clock';
import { Secret } from 'base/encryption/secret';
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { DatabaseSchema, Db, RunsTable } from './schema.ts';

type Row = Selectable<RunsTable>;

/** Fields of a run that a change can set. `note` is a line for the timeline. */
export type RunUpdate = Partial<
  Pick<
    Row,
    | 'state'
    | 'session_token'
    | 'status_json'
    | 'started_at'
    | 'ended_at'
    | 'cancel_requested'
    | 'usage_json'
    | 'restarts'
  >
> & {
  note?: string;
  /** Process that executes the run, and the duration of its lease. The owner is null if no process does. */
  lease?: { owner: string | null; forMs: number } | null;
};

/** Condition for a change. A missing member isn't checked. */
export type RunCondition = {
  from?: readonly string[];
  owner?: string | undefined;
  acceptsFollowups?: boolean;
  /** True if the lease must have expired. */
  leaseExpired?: boolean;
};

/**
 * Returns SQL for a time later than every change so far. Each change gets a distinct time, so times show the order of
 * changes.
 */
export function nextMoment(atMs: number): RawBuilder<number> {
  return sql<number>`(select case when max(updated_at) >= ${atMs} then max(updated_at) + 1 else ${atMs} end from service_runs)`;
}

/**
 * Returns SQL for a time later than every change so far, for changing a run. PostgreSQL may wait for another change of
 * this run. After that, PostgreSQL reads the run's row again, but doesn't repeat the subquery.
 */
function nextMomentOf(atMs: number): RawBuilder<number> {
  const next = nextMoment(atMs);
  return sql<number>`case when service_runs.updated_at >= ${next} then service_runs.updated_at + 1 else ${next} end`;
}

function leaseColumns(trx: Transaction<DatabaseSchema>, lease: RunUpdate['lease']) {
  if (lease === undefined) return {};
  if (lease === null) return { lease_owner: null, lease_until: null };
  const until = sql<number>`${nowMs(trx)} + ${sql.lit(lease.forMs)}`;
  return { lease_owner: lease.owner, lease_until: until };
}

/**
 * Changes a run if it still meets the condition. Returns the run, or undefined if it doesn't meet the condition
 * anymore.
 */
export async function changeRun(
  trx: Transaction<DatabaseSchema>,
  id: string,
  { from, owner, acceptsFollowups, leaseExpired }: RunCondition,
  { note, lease, status_json: status, ...set }: RunUpdate,
): Promise<Row | undefined> {
  let statement = trx
    .updateTable('service_runs')
    .set({ ...set, ...leaseColumns(trx, lease), updated_at: nextMomentOf(Date.now()) })
    .$if(status !== undefined, (update) =>
      update.set({ status_json: status ? new Secret('status_json', id, status) : null }),
    )
    .where('id', '=', id);
  if (from !== undefined) statement = statement.where('state', 'in', from);
  if (owner !== undefined) statement = statement.where('lease_owner', '=', owner);
  if (acceptsFollowups) statement = statement.where('followups_closed', '=', 0);
  if (leaseExpired) statement = statement.where('lease_until', '<', nowMs(trx));
  const row = await statement.returningAll().executeTakeFirst();
  if (!row) return undefined;
  // Delete the attached files, because an ended run doesn't need them.
  if (set.ended_at)
    await trx.deleteFrom('service_run_attachments').where('run_id', '=', id).execute();
  await trx
    .updateTable('service_run_changes')
    .set({ until_at: row.updated_at })
    .where('run_id', '=', id)
    .where('until_at', 'is', null)
    .execute();
  await trx
    .insertInto('service_run_changes')
    .values({
      run_id: id,
      changed_at: row.updated_at,
      until_at: null,
      state: row.state,
      note: note ? new Secret('note', id, note) : null,
    })
    .execute();
  return row;
}

export type ChangedRun = Pick<Row, 'id' | 'state' | 'creator_uid' | 'updated_at'>;

export function createRunFeed(db: Db) {
  return {
    /**
     * True if a change can become visible after a later change. That's impossible in SQLite, because writes wait for
     * each other.
     */
    canCommitLate: isPostgres(db),

    /** Returns the time of the newest change, or 0 if there are no runs. */
    async newest(): Promise<number> {
      const row = await db
        .selectFrom('service_runs')
        .select(({ fn }) => fn.max<number | null>('updated_at').as('newest'))
        .executeTakeFirst();
      return row?.newest ?? 0;
    },

    /** Lists runs that changed after `at`, oldest change first. */
    async since(at: number, limit: number): Promise<ChangedRun[]> {
      return db
        .selectFrom('service_runs')
        .select(['id', 'state', 'creator_uid', 'updated_at'])
        .where('updated_at', '>', at)
        .orderBy('updated_at')
        .limit(limit)
        .execute();
    },
  };
}
export type RunFeed = ReturnType<typeof createRunFeed>;
