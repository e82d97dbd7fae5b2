import { nowMs } from 'base/database/clock';
import { Secret } from 'base/encryption/secret';
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { DatabaseSchema, ServiceRunsTable } from '../schema.ts';

type Row = Selectable<ServiceRunsTable>;

/** What a change may set; `note` is for the timeline. */
export type ServiceRunUpdate = Partial<
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
  /** Who executes the run, and for how long without a renewal; null for nobody. */
  lease?: { owner: string | null; forMs: number } | null;
};

/** Which runs may be changed: in one of these states, and executed by this process, as far as given. */
export type ServiceRunCondition = {
  from?: readonly string[];
  owner?: string | undefined;
  takesFollowups?: boolean;
  /** Only if its lease ran out. */
  leaseExpired?: boolean;
};

/** Later than every change so far, so that changes have distinct times in their order. */
export function nextMoment(atMs: number): RawBuilder<number> {
  return sql<number>`(select case when max(updated_at) >= ${atMs} then max(updated_at) + 1 else ${atMs} end from service_runs)`;
}

/**
 * The same for a run that changes. PostgreSQL doesn't compute the subquery again after it has waited for another change of
 * this run, but it reads the run's own row again.
 */
function nextMomentOf(atMs: number): RawBuilder<number> {
  const next = nextMoment(atMs);
  return sql<number>`case when service_runs.updated_at >= ${next} then service_runs.updated_at + 1 else ${next} end`;
}

function leaseColumns(trx: Transaction<DatabaseSchema>, lease: ServiceRunUpdate['lease']) {
  if (lease === undefined) return {};
  if (lease === null) return { lease_owner: null, lease_until: null };
  const until = sql<number>`${nowMs(trx)} + ${sql.lit(lease.forMs)}`;
  return { lease_owner: lease.owner, lease_until: until };
}

/** Changes a run that still meets the condition and returns it; undefined if another process was faster. */
export async function changeServiceRun(
  trx: Transaction<DatabaseSchema>,
  id: string,
  { from, owner, takesFollowups, leaseExpired }: ServiceRunCondition,
  { note, lease, status_json: status, ...set }: ServiceRunUpdate,
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
  if (takesFollowups) statement = statement.where('followups_closed', '=', 0);
  if (leaseExpired) statement = statement.where('lease_until', '<', nowMs(trx));
  const row = await statement.returningAll().executeTakeFirst();
  if (!row) return undefined;
  // No one needs its files any more.
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
