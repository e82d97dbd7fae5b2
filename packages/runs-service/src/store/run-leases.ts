import { nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import { setFollowupsClosed } from './followups.ts';
import type { Lease } from './queued-runs.ts';
import { changeRun, type RunCondition, type RunUpdate } from './run-changes.ts';
import { activeStates, type StoredRun } from './runs.ts';
import type { Db } from './schema.ts';

/** Update for a restarted run. The state also closes an open question of the earlier process. */
const going = { state: 'INPROGRESS' };

/** Creates functions that release and take over the leases of runs in progress. */
export function createRunLeases(db: Db) {
  return {
    /** Hands back a run that its service stops executing, for another process to restart. */
    async handBack(runId: string, owner: string, note: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const lease = { owner: null, forMs: 0 };
        await changeRun(trx, runId, { from: activeStates, owner }, { note, lease, ...going });
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

    /** Leases a run with an expired lease, to restart it. Returns undefined if another process was faster. */
    takeOver(run: StoredRun, lease: Lease, note: string): Promise<StoredRun | undefined> {
      const restarts = run.lease_owner === null ? run.restarts : run.restarts + 1;
      return restart(db, run.id, { leaseExpired: true }, { note, lease, restarts });
    },

    /** Restarts a run if this process has its lease. Otherwise returns undefined. */
    startOver: (run: StoredRun, owner: string, note: string): Promise<StoredRun | undefined> =>
      restart(db, run.id, { owner }, { note, restarts: run.restarts + 1 }),

    /** Releases a remote run, so that another process can follow it at once. Nothing else changes. */
    async release(runId: string, owner: string): Promise<void> {
      await db
        .updateTable('service_runs')
        .set({ lease_until: 0 })
        .where('id', '=', runId)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /**
     * Leases a remote run, to follow it. Returns undefined if it has ended, or another process follows it.
     * @param evenIfHeld takes the run from another process, which then stops following it
     */
    async adopt(
      runId: string,
      lease: Lease,
      { evenIfHeld = false } = {},
    ): Promise<StoredRun | undefined> {
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
export type RunLeases = ReturnType<typeof createRunLeases>;

/** Restarts a run. It accepts messages again, because the restarted agent reads all of them again. */
const restart = (
  db: Db,
  runId: string,
  condition: RunCondition,
  update: RunUpdate,
): Promise<StoredRun | undefined> =>
  db.transaction().execute(async (trx) => {
    const active = { from: activeStates, ...condition };
    const taken = await changeRun(trx, runId, active, { ...update, ...going });
    if (taken) await setFollowupsClosed(trx, runId, 0);
    return taken;
  });
