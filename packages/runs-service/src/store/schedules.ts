import { randomUUID } from 'node:crypto';
import { createColumns } from 'base/database/columns';
import { afterOwnMs, claimOneByOne, createLeases } from 'base/database/leases';
import { lockUntilCommit } from 'base/database/lock-until-commit';
import type { Finished } from 'base/leased-work';
import { nextLook } from 'base/schedule/cron';
import { type Insertable, sql } from 'kysely';
import { owners } from './encrypted-columns.ts';
import { insertRun, type NewStoredRun, openStates } from './runs.ts';
import {
  type NewSchedule,
  type Schedule,
  type ScheduleChanges,
  scheduleSchema,
} from './schedule.ts';
import type { Db, SchedulesTable } from './schema.ts';

const { read, write } = createColumns(scheduleSchema, owners);

/** Max number of schedules of one key owner, because lists have no pages. */
export const maxSchedules = 100;

/** Result of a due time: a run to start, or a sentence that says why none starts, or both if earlier times were missed. */
export type DueResult = {
  run: NewStoredRun | undefined;
  error: string | undefined;
  /** Sentence to store instead, if the last run is still active. */
  busyError: string;
  nextAt: number | null;
};

/** Converts the next look at a schedule to the database's clock, which decides what is due. */
function dueFrom(db: Db, nextAt: number | null) {
  const lookAt = nextLook(nextAt, Date.now());
  return lookAt === null ? null : afterOwnMs(db, lookAt);
}

export function createSchedules(db: Db) {
  const leases = createLeases(db, 'service_schedules');

  return {
    create: (schedule: NewSchedule) => create(db, schedule),

    async find(id: string): Promise<Schedule | undefined> {
      if (id.includes('\0')) return undefined;
      const query = db.selectFrom('service_schedules').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row && read(row);
    },

    /** Lists the schedules of a creator, or all. */
    async list(creatorUid: string | undefined): Promise<Schedule[]> {
      const rows = await db
        .selectFrom('service_schedules')
        .selectAll()
        .$if(creatorUid !== undefined, (query) => query.where('creator_uid', '=', creatorUid ?? ''))
        .execute();
      return rows.map(read);
    },

    /**
     * Changes a schedule. What a process prepared for a due time before this change starts no run. Returns undefined if
     * the schedule doesn't exist.
     */
    async change(id: string, changes: ScheduleChanges): Promise<Schedule | undefined> {
      const { nextAt } = changes;
      const shift = sql<number | null>`next_at + (${afterOwnMs(db, 0)})`;
      const row = await db
        .updateTable('service_schedules')
        .set({
          ...write(changes, id),
          due_at: nextAt === undefined ? shift : dueFrom(db, nextAt),
          updated_at: sql`case when updated_at >= ${Date.now()} then updated_at + 1 else ${Date.now()} end`,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && read(row);
    },

    async remove(id: string): Promise<boolean> {
      const query = db.deleteFrom('service_schedules').where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows === 1n;
    },

    settle: (schedule: Schedule, result: DueResult) => settle(db, schedule, result),

    claim: claimOneByOne(leases, read),
    renew: leases.renew,
    nextDueInMs: leases.nextDueInMs,
    release: (finished: readonly Finished<object>[]) => leases.release(finished, () => ({})),
  };
}
export type Schedules = ReturnType<typeof createSchedules>;

/**
 * Stores a schedule. If one with the same idempotency key exists, returns that one. Returns undefined if its owner
 * has too many.
 */
async function create(db: Db, schedule: NewSchedule): Promise<Schedule | undefined> {
  const { id, idempotencyKey: key, keyUid } = schedule;
  const now = Date.now();
  const whole: Schedule = {
    ...schedule,
    createdAt: now,
    updatedAt: now,
    lastRunId: null,
    lastRanAt: null,
    lastError: null,
    failures: 0,
    version: 0,
  };
  return db.transaction().execute(async (trx) => {
    await lockUntilCommit(trx, `schedules of ${keyUid}`);
    const owned = await trx
      .selectFrom('service_schedules')
      .select(['id', 'idempotency_key'])
      .where('key_uid', '=', keyUid)
      .execute();
    const repeated = key !== null && owned.find((each) => each.idempotency_key === key);
    if (repeated) {
      const same = trx.selectFrom('service_schedules').selectAll();
      return read(await same.where('id', '=', repeated.id).executeTakeFirstOrThrow());
    }
    if (owned.length >= maxSchedules) return undefined;
    const due = { due_at: dueFrom(trx, schedule.nextAt), lease_owner: null };
    await trx
      .insertInto('service_schedules')
      .values({ ...(write(whole, id) as Insertable<SchedulesTable>), ...due })
      .execute();
    return whole;
  });
}

/**
 * Stores the result of a due time: the run and the next due time in one transaction, so that a due time starts one
 * run. Does nothing if the schedule was changed, paused or deleted, or the lease was lost.
 */
async function settle(
  db: Db,
  schedule: Schedule,
  result: DueResult,
): Promise<'started' | 'not started'> {
  return db.transaction().execute(async (trx) => {
    const mine = await trx
      .updateTable('service_schedules')
      .set({ next_at: result.nextAt, due_at: dueFrom(trx, result.nextAt) })
      .where('id', '=', schedule.id)
      .where('version', '=', schedule.version)
      .where('updated_at', '=', schedule.updatedAt)
      .where('enabled', '=', 1)
      .executeTakeFirst();
    if (mine.numUpdatedRows === 0n) return 'not started';
    const isBusy = result.run !== undefined && (await isActive(trx, schedule.lastRunId));
    const started =
      result.run && !isBusy ? await insertRun(trx, randomUUID(), result.run) : undefined;
    const error = isBusy ? result.busyError : (result.error ?? null);
    await trx
      .updateTable('service_schedules')
      .set({
        last_error: error,
        ...(started && { last_run_id: started.id, last_ran_at: started.created_at }),
      })
      .where('id', '=', schedule.id)
      .execute();
    return started ? 'started' : 'not started';
  });
}

async function isActive(db: Db, runId: string | null): Promise<boolean> {
  if (runId === null) return false;
  const found = await db
    .selectFrom('service_runs')
    .select('id')
    .where('id', '=', runId)
    .where('state', 'in', openStates)
    .executeTakeFirst();
  return found !== undefined;
}
