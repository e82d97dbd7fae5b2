import { sql } from 'kysely';
import { nowMs } from './clock.ts';
import type { Db } from './database.ts';
import type { ServiceRun } from './service-runs.ts';

/** Runs of one creator in one environment; `oldestCreatedAt` is when the first of them was asked for. */
export type ServiceRunGroup = {
  creatorUid: string;
  environmentId: string;
  count: number;
  oldestCreatedAt: number;
};

/** What the queue of the runs service asks of the store. Changes of state go through `ServiceRuns.change`. */
export function createServiceRunQueue(db: Db) {
  async function groups(state: string): Promise<ServiceRunGroup[]> {
    const rows = await db
      .selectFrom('service_runs')
      .select(({ fn }) => [
        'creator_uid as creatorUid',
        'environment_id as environmentId',
        fn.countAll<number>().as('count'),
        fn.min<number>('created_at').as('oldestCreatedAt'),
      ])
      .where('state', '=', state)
      .groupBy(['creator_uid', 'environment_id'])
      .execute();
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }

  return {
    groups,

    async oldestQueued(creatorUid: string, environmentId: string): Promise<ServiceRun | undefined> {
      return db
        .selectFrom('service_runs')
        .selectAll()
        .where('state', '=', 'QUEUED')
        .where('creator_uid', '=', creatorUid)
        .where('environment_id', '=', environmentId)
        .orderBy('created_at')
        .limit(1)
        .executeTakeFirst();
    },

    /** Runs that are marked as going: of one service process, or of any whose lease has run out. */
    async going(which: { owner: string } | 'expired'): Promise<ServiceRun[]> {
      const query = db.selectFrom('service_runs').selectAll().where('state', '=', 'INPROGRESS');
      return which === 'expired'
        ? query.where('lease_until', '<', nowMs(db)).execute()
        : query.where('lease_owner', '=', which.owner).execute();
    },

    async renewLeases(owner: string, leaseMs: number): Promise<void> {
      await db
        .updateTable('service_runs')
        .set({ lease_until: sql`${nowMs(db)} + ${sql.lit(leaseMs)}` })
        .where('state', '=', 'INPROGRESS')
        .where('lease_owner', '=', owner)
        .execute();
    },

    /** How many runs wait before one that was created at `createdAt`. */
    async countQueuedBefore(createdAt: number): Promise<number> {
      const row = await db
        .selectFrom('service_runs')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('state', '=', 'QUEUED')
        .where('created_at', '<', createdAt)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
  };
}
export type ServiceRunQueue = ReturnType<typeof createServiceRunQueue>;
