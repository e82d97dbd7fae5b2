import type { Transaction } from 'kysely';
import type { DatabaseSchema, Db } from '../schema.ts';
import type { Lease } from './service-run-queue.ts';
import { activeStates, changeServiceRun, type ServiceRun } from './service-runs.ts';

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
    async takeOver(run: ServiceRun, lease: Lease, note: string): Promise<ServiceRun | undefined> {
      const restarts = run.lease_owner === null ? run.restarts : run.restarts + 1;
      return db.transaction().execute(async (trx) => {
        const condition = { from: activeStates, leaseExpired: true };
        const taken = await changeServiceRun(trx, run.id, condition, {
          ...{ note, lease, restarts },
          ...going,
        });
        if (taken) await giveMessagesAgain(trx, run.id);
        return taken;
      });
    },
  };
}
export type ServiceRunLeases = ReturnType<typeof createServiceRunLeases>;

/** The restarted agent needs all messages again. */
async function giveMessagesAgain(trx: Transaction<DatabaseSchema>, runId: string): Promise<void> {
  await trx
    .updateTable('service_runs')
    .set({ followups_closed: 0 })
    .where('id', '=', runId)
    .execute();
  await trx
    .updateTable('service_run_followups')
    .set({ taken_at: null })
    .where('run_id', '=', runId)
    .execute();
}
