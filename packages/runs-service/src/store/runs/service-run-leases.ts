import { nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import type { Db } from '../schema.ts';
import {
  changeServiceRun,
  type ServiceRunCondition,
  type ServiceRunUpdate,
} from './service-run-change.ts';
import { closeToFollowups } from './service-run-followups.ts';
import type { Lease } from './service-run-queue.ts';
import { activeStates, type ServiceRun } from './service-runs.ts';

/** A question of the process before goes away. */
const going = { state: 'INPROGRESS' };

/** Releases and takes over runs in progress. */
export function createServiceRunLeases(db: Db) {
  return {
    /** For a run that its service stops executing without ending it. */
    async handBack(runId: string, owner: string, note: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const lease = { owner: null, forMs: 0 };
        await changeServiceRun(
          trx,
          runId,
          { from: activeStates, owner },
          { note, lease, ...going },
        );
      });
    },

    /** Expires the leases of a dead process. The owner stays, unlike after `handBack`. */
    async expire(owner: string): Promise<void> {
      await db
        .updateTable('service_runs')
        .set({ lease_until: 0 })
        .where('state', 'in', activeStates)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /** Leases a run whose lease ran out, to restart it; undefined if another process was faster. */
    takeOver(run: ServiceRun, lease: Lease, note: string): Promise<ServiceRun | undefined> {
      const restarts = run.lease_owner === null ? run.restarts : run.restarts + 1;
      return restart(db, run.id, { leaseExpired: true }, { note, lease, restarts });
    },

    /** Starts a run over that this process holds; undefined if it doesn't. */
    startOver: (run: ServiceRun, owner: string, note: string): Promise<ServiceRun | undefined> =>
      restart(db, run.id, { owner }, { note, restarts: run.restarts + 1 }),

    /** For a run that goes on elsewhere: another process can follow it at once. Nothing else of it changes. */
    async release(runId: string, owner: string): Promise<void> {
      await db
        .updateTable('service_runs')
        .set({ lease_until: 0 })
        .where('id', '=', runId)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /**
     * Follows a run that goes on elsewhere. Undefined if it has ended, or another process follows it.
     * @param evenIfHeld by another process, which then stops following it
     */
    async adopt(
      runId: string,
      lease: Lease,
      { evenIfHeld = false } = {},
    ): Promise<ServiceRun | undefined> {
      return db
        .updateTable('service_runs')
        .set({
          lease_owner: lease.owner,
          lease_until: sql`${nowMs(db)} + ${sql.lit(lease.forMs)}`,
        })
        .where('id', '=', runId)
        .where('state', 'in', activeStates)
        .$if(!evenIfHeld, (query) => query.where('lease_until', '<', nowMs(db)))
        .returningAll()
        .executeTakeFirst();
    },
  };
}
export type ServiceRunLeases = ReturnType<typeof createServiceRunLeases>;

/** The restarted agent asks for all messages again. */
const restart = (
  db: Db,
  runId: string,
  condition: ServiceRunCondition,
  update: ServiceRunUpdate,
): Promise<ServiceRun | undefined> =>
  db.transaction().execute(async (trx) => {
    const active = { from: activeStates, ...condition };
    const taken = await changeServiceRun(trx, runId, active, { ...update, ...going });
    if (taken) await closeToFollowups(trx, runId, 0);
    return taken;
  });
