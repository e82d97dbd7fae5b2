import { isPostgres, nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import { changeRun } from './run-changes.ts';
import { activeStates, type StoredRun } from './runs.ts';
import type { Db } from './schema.ts';

/** Group of the runs of one creator in one environment. `count` is the number of runs. */
export type RunGroup = {
  creatorUid: string;
  environmentId: string;
  count: number;
  oldestCreatedAt: number;
};

/** Chooses the creator and environment of the next run. Returns undefined if no run can start. */
export type ChooseGroup = (
  queued: readonly RunGroup[],
  active: readonly RunGroup[],
) => RunGroup | undefined;

export type Lease = { owner: string; forMs: number };

/** Creates the store that reads and claims queued runs. */
export function createQueueStore(db: Db) {
  return {
    groups: (states: readonly string[]) => groups(db, states),

    /**
     * Claims one run. Claims of other service processes wait until this transaction ends. Returns undefined if no run
     * can start, or the run was canceled meanwhile.
     */
    async claim(choose: ChooseGroup, lease: Lease): Promise<StoredRun | undefined> {
      return db.transaction().execute(async (trx) => {
        await trx.updateTable('service_queue').set({ claims: sql`claims + 1` }).execute();
        const next = choose(await groups(trx, ['QUEUED']), await groups(trx, activeStates));
        const oldest = next && (await oldestQueued(trx, next));
        if (!oldest) return undefined;
        const begin = { state: 'INPROGRESS', started_at: Date.now(), lease };
        return changeRun(trx, oldest.id, { from: ['QUEUED'] }, begin);
      });
    },

    /** Lists an environment's queued runs that were created before `createdBefore`. */
    async queuedIn(environmentId: string, createdBefore: number): Promise<StoredRun[]> {
      return db
        .selectFrom('service_runs')
        .selectAll()
        .where('state', '=', 'QUEUED')
        .where('environment_id', '=', environmentId)
        .where('created_at', '<=', createdBefore)
        .execute();
    },

    /** Lists the runs in progress of one service process, or all runs in progress with an expired lease. */
    async listActive(which: { owner: string } | 'expired'): Promise<StoredRun[]> {
      const query = db.selectFrom('service_runs').selectAll().where('state', 'in', activeStates);
      return which === 'expired'
        ? query.where('lease_until', '<', nowMs(db)).execute()
        : query.where('lease_owner', '=', which.owner).execute();
    },

    /**
     * Lists one service process's runs in progress. Called often, so it reads only the fields that other processes
     * change.
     */
    async held(owner: string): Promise<Pick<StoredRun, 'id' | 'cancel_requested'>[]> {
      return db
        .selectFrom('service_runs')
        .select(['id', 'cancel_requested'])
        .where('state', 'in', activeStates)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /**
     * Renews leases that have less than two thirds of their time left. Skips a run that is being changed, because
     * waiting for it would block all other changes. The next call renews it.
     */
    async renewLeases(owner: string, leaseMs: number): Promise<void> {
      const due = sql<number>`${nowMs(db)} + ${sql.lit(Math.floor((leaseMs * 2) / 3))}`;
      const ids = db
        .selectFrom('service_runs')
        .select('id')
        .where('state', 'in', activeStates)
        .where('lease_owner', '=', owner)
        .where('lease_until', '<', due);
      await db
        .updateTable('service_runs')
        .set({ lease_until: sql`${nowMs(db)} + ${sql.lit(leaseMs)}` })
        .where('id', 'in', isPostgres(db) ? ids.forUpdate().skipLocked() : ids)
        .execute();
    },

    /** Returns for each of these runs how many queued runs were created earlier. */
    async countAhead(runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (runIds.length === 0) return new Map();
      const ahead = sql<number>`(select count(*) from service_runs q
        where q.state = 'QUEUED' and q.created_at < service_runs.created_at)`;
      const rows = await db
        .selectFrom('service_runs')
        .select(['id', ahead.as('ahead')])
        .where('id', 'in', runIds)
        .execute();
      return new Map(rows.map((row) => [row.id, Number(row.ahead)]));
    },
  };
}
export type QueueStore = ReturnType<typeof createQueueStore>;

async function groups(db: Db, states: readonly string[]): Promise<RunGroup[]> {
  const rows = await db
    .selectFrom('service_runs')
    .select(({ fn }) => [
      'creator_uid as creatorUid',
      'environment_id as environmentId',
      fn.countAll<number>().as('count'),
      fn.min<number>('created_at').as('oldestCreatedAt'),
    ])
    .where('state', 'in', states)
    .groupBy(['creator_uid', 'environment_id'])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

async function oldestQueued(
  db: Db,
  { creatorUid, environmentId }: RunGroup,
): Promise<StoredRun | undefined> {
  return db
    .selectFrom('service_runs')
    .selectAll()
    .where('state', '=', 'QUEUED')
    .where('creator_uid', '=', creatorUid)
    .where('environment_id', '=', environmentId)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
}
