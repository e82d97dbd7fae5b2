import { claimOneByOne, createLeases } from 'base/database/leases';
import type { DueTimes } from 'base/schedule/cron';
import { sql } from 'kysely';
import type { Automation } from '../../automations/automation.ts';
import type { ScheduleQueue } from '../../automations/port.ts';
import { hasActiveInstallation } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import { readLeasedAutomation } from './automation-row.ts';
import { firingRow } from './firing-row.ts';

/** Creates the queue of schedules that are due. */
export function createScheduleQueue(db: Db): ScheduleQueue {
  const leases = createLeases(db, 'automations', { which: hasActiveInstallation('automations') });

  return {
    claim: claimOneByOne(leases, readLeasedAutomation),
    renew: leases.renew,
    nextDueInMs: leases.nextDueInMs,
    release: (finished) => leases.release(finished, () => ({})),

    /** The due times and the next one are stored together, so that a crash can neither lose nor repeat one. */
    fire: (automation, due) =>
      db.transaction().execute(async (trx) => {
        const { id, version, nextAt } = automation;
        const { numUpdatedRows } = await trx
          .updateTable('automations')
          .set({ next_at: due.nextAt })
          .where('id', '=', id)
          .where('version', '=', version)
          .where('next_at', '=', nextAt)
          .where(sql<boolean>`pause_json is null`)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const rows = rowsOf(trx, automation, due);
        if (rows.length === 0) return true;
        await trx
          .insertInto('automation_firings')
          .values(rows)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        return true;
      }),
  };
}

function rowsOf(db: Db, { id, teamId }: Automation, { fireAt, missed }: DueTimes) {
  const of = { automationId: id, teamId };
  const fired = { kind: 'schedule' } as const;
  return [
    ...(missed
      ? [
          firingRow(
            db,
            {
              ...of,
              key: `missed ${missed.firstAt}`,
              happenedAt: missed.firstAt,
              fired: { ...fired, count: missed.count, lastAt: missed.lastAt },
            },
            { end: { state: 'missed', reason: null } },
          ),
        ]
      : []),
    ...(fireAt === undefined
      ? []
      : [firingRow(db, { ...of, key: `at ${fireAt}`, happenedAt: fireAt, fired })]),
  ];
}
