import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres, nowMs } from '../database/clock.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { updateMany } from './lock-order.ts';
import { cancelColumns, readCancel } from './request-cancel.ts';
import { changedColumns, type RequestChanges, type RunRequest, readRow } from './request-row.ts';
import { requestSteps } from './request-steps.ts';

export type RequestLeases = ReturnType<typeof createRequestLeases>;

/** Which lease a write belongs to. The version grows with every lease of a request. */
export type Lease = { id: string; version: number };

/** What is still to be written under a lease, and when there is more to do. */
export type Finished = { lease: Lease; changes: RequestChanges; dueAt: number | null };

/** Another replica has the request now, so this one must stop. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Another request has this run: two identical requests found it at the same time. */
export class RunTaken extends Error {
  override name = 'RunTaken';
}

/**
 * Who works on which request: a due row is leased, worked on, and released with the time when it is due next. A step that
 * only a newer version knows is left to that version.
 */
export function createRequestLeases(db: Db) {
  const now = () => nowMs(db);

  async function write({ id, version }: Lease, columns: ReturnType<typeof changedColumns>) {
    const written = await db
      .updateTable('requests')
      .set(columns)
      .where('id', '=', id)
      .where('version', '=', version)
      .returning(cancelColumns)
      .executeTakeFirst()
      .catch((error: unknown) => {
        if (!isTakenRun(error)) throw error;
        throw new RunTaken(`another request has the run of request ${id}`, { cause: error });
      });
    if (!written) throw new LeaseLost(`request ${id} belongs to another replica now`);
    return readCancel(written);
  }

  /** One condition per statement: no index serves all of them together. */
  async function lease(owner: string, leaseMs: number, limit: number, which: Condition) {
    if (limit === 0) return [];
    let ids = db
      .selectFrom('requests')
      .select('id')
      .where((row) => row.and([which(row), isKnownStep(db)]))
      .where('lease_until', '<=', now())
      .orderBy('due_at')
      .limit(limit);
    if (isPostgres(db)) ids = ids.forUpdate().skipLocked();
    const rows = await db
      .updateTable('requests')
      .set({
        lease_owner: owner,
        lease_until: sql`${now()} + ${sql.lit(leaseMs)}`,
        version: sql`version + 1`,
        due_at: null,
      })
      .where('id', 'in', ids)
      .returningAll()
      .execute();
    return rows.map(readRow);
  }

  return {
    /**
     * Leases requests that are due or whose lease ran out; ended ones first, because people wait for the end. A leased
     * request has no due time, so one that is set during the lease remains after it.
     */
    async claim(owner: string, leaseMs: number, limit: number): Promise<RunRequest[]> {
      const leased: RunRequest[] = [];
      for (const which of [isEndedAndDue, isDue, isLeftBehind])
        leased.push(...(await lease(owner, leaseMs, limit - leased.length, which)));
      return leased;

      function isEndedAndDue(row: Row) {
        return row.and([row('ended_at', 'is not', null), row('due_at', '<=', now())]);
      }
      function isDue(row: Row) {
        return row('due_at', '<=', now());
      }
      function isLeftBehind(row: Row) {
        return row('lease_owner', 'is not', null);
      }
    },

    /** Only for requests that are being worked on: a lease that couldn't be released must run out. */
    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await updateMany(db, (requests) =>
        requests.where('lease_owner', '=', owner).where('id', 'in', ids),
      )
        .set({ lease_until: sql`${now()} + ${sql.lit(leaseMs)}` })
        .execute();
    },

    /** @throws LeaseLost if another replica has the lease */
    async check({ id, version }: Lease): Promise<void> {
      const held = await db
        .selectFrom('requests')
        .select('id')
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst();
      if (!held) throw new LeaseLost(`request ${id} belongs to another replica now`);
    },

    /**
     * Nothing is written when it throws.
     * @returns what people have asked for by now
     * @throws LeaseLost if another replica has the lease
     * @throws RunTaken
     */
    record: (lease: Lease, changes: RequestChanges) => write(lease, changedColumns(changes)),

    suspectDuplicate: (id: string, at: number) => suspectDuplicate(db, id, at),

    /**
     * Writes what was done and releases the leases; each request is due at its `dueAt`, or sooner if someone set that.
     * Nothing is written for a lost lease.
     * @returns the ids of requests whose lease was lost
     */
    async release(finished: readonly Finished[]): Promise<string[]> {
      // Without a transaction, which could deadlock with a sweep that locks the rows in another order.
      const wereReleased = await Promise.all(finished.map((each) => release(db, each)));
      return finished.flatMap(({ lease }, index) => (wereReleased[index] ? [] : [lease.id]));
    },

    /** How long until the next unleased request is due; undefined if none is. */
    async nextDueInMs(): Promise<number | undefined> {
      const row = await db
        .selectFrom('requests')
        .select(sql<number | null>`due_at - ${now()}`.as('ms'))
        .where((row) => row.and([row('due_at', 'is not', null), isKnownStep(db)]))
        .where('lease_until', '<=', now())
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.ms ?? undefined;
    },
  };
}

/** A replica lost its lease while it wrote to Slack: has the next one look for duplicates and update the message again. */
async function suspectDuplicate(db: Db, id: string, at: number): Promise<void> {
  await db
    .updateTable('requests')
    .set({
      duplicate_suspected_at: at,
      duplicates_check_at: at,
      show_again_at: at,
      due_at: nowMs(db),
    })
    .where('id', '=', id)
    .execute();
}

async function release(db: Db, { lease, changes, dueAt }: Finished): Promise<boolean> {
  const written = await db
    .updateTable('requests')
    .set({
      ...changedColumns(changes),
      ...{ lease_owner: null, lease_until: 0, due_at: soonest(db, dueAt) },
    })
    .where('id', '=', lease.id)
    .where('version', '=', lease.version)
    .executeTakeFirst();
  const isReleased = written.numUpdatedRows === 1n;
  if (!isReleased && changes.shown !== undefined) await suspectDuplicate(db, lease.id, Date.now());
  return isReleased;
}

/** SQLite must not use the index of the step: it would read every followed request. */
function isKnownStep(db: Db): Expression<SqlBool> {
  const step = isPostgres(db) ? sql`step` : sql`step || ''`;
  return sql<SqlBool>`${step} in (${sql.join(requestSteps)})`;
}

/** The run id is the only unique column that changes. */
const isTakenRun = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === '23505');

type Row = ExpressionBuilder<DatabaseSchema, 'requests'>;
type Condition = (row: Row) => Expression<SqlBool>;

/** Relative, because our clock may differ from the one that decides what is due. */
function soonest(db: Db, dueAt: number | null) {
  if (dueAt === null) return sql<number | null>`due_at`;
  const at = sql`${nowMs(db)} + ${Math.round(dueAt - Date.now())}`;
  return sql<number | null>`case when due_at < ${at} then due_at else ${at} end`;
}
