import { nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import { setFollowupsClosed } from './followups.ts';
import type { Lease } from './queued-runs.ts';
import { changeRun, type RunCondition, type RunUpdate } from './run-changes.ts';
import { activeStates, type StoredRun } from './runs.ts';
import type { Db } from './schema.ts';

/** Update for a restarted run. This state also means that a question of the earlier process isn't open anymore. */
const going = { state: 'INPROGRESS' };

/** Creates functions that release and take over the leases of runs in progress. */
export function createRunLeases(db: Db) {
  return {
    /** Releases the lease of a run that the service stops executing, so that another process restarts the run. */
    async handBack(runId: string, owner: string, note: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const lease = { owner: null, forMs: 0 };
        await changeRun(trx, runId, { from: activeStates, owner }, { note, lease, ...going });
      });
    },

    /** Expires the leases of a crashed process. Keeps the owner, so that `takeOver` counts a restart. */
    async expire(owner: string): Promise<void> {
      await db
        .updateTable('service_runs')
        .set({ lease_until: 0 })
        .where('state', 'in', activeStates)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /** Leases a run with an expired lease, to restart the run. Returns undefined if another process was faster. */
    takeOver(run: StoredRun, lease: Lease, note: string): Promise<StoredRun | undefined> {
      const restarts = run.lease_owner === null ? run.restarts : run.restarts + 1;
      return restart(db, run.id, { leaseExpired: true }, { note, lease, restarts });
    },

    /** Restarts a run if this process has its lease. Otherwise returns undefined. */
    startOver: (run: StoredRun, owner: string, note: string): Promise<StoredRun | undefined> =>
      restart(db, run.id, { owner }, { note, restarts: run.restarts + 1 }),

    /** Releases a remote run without any other change, so that another process can follow it at once. */
    async release(runId: string, owner: string): Promise<void> {
      await db
        .updateTable('service_runs')
        .set({ lease_until: 0 })
        .where('id', '=', runId)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /**
     * Leases a remote run, to follow it. Returns undefined if the run has ended, or another process follows it.
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

/** Restarts a run. The run accepts messages again, because the restarted agent reads all messages from the start. */
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
