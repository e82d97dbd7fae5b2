import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres, nowMs } from './clock.ts';
import { updateMany } from './lock-order.ts';
import {
  cancelColumns,
  changedColumns,
  type RequestChanges,
  type RunRequest,
  readCancel,
  readRow,
} from './request-row.ts';
import { requestSteps } from './request-steps.ts';
import type { DatabaseSchema, Db } from './schema.ts';

export type RequestLeases = ReturnType<typeof createRequestLeases>;

/** Which lease a write belongs to. Every lease of a request has a higher version than the one before. */
export type Lease = { id: string; version: number };

/** What was done under a lease and is not written yet, and when there is more to do. */
export type Finished = { lease: Lease; changes: RequestChanges; dueAt: number | null };

/** Somebody else has the request now: whatever was being done for it must not be done. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Another request has this run: two identical ones have found it at the same time. */
export class RunTaken extends Error {
  override name = 'RunTaken';
}

/**
 * Who works on which request: a due row is leased, worked on, and released with the time when it is due next. What a
 * newer version has taken to a step of its own is left to it.
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
    if (!written) throw new LeaseLost(`request ${id} is somebody else's now`);
    return readCancel(written);
  }

  /** One condition a statement: together they would read all that is due, since no index serves them all. */
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
     * Leases requests to `owner` that are due, or whose lease has run out; those that have ended first, since people
     * wait for the end. A leased request has no due time: one that is given meanwhile outlives the lease.
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

    /** Only what is really being worked on: a lease that could not be given back must run out. */
    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await updateMany(db, (requests) =>
        requests.where('lease_owner', '=', owner).where('id', 'in', ids),
      )
        .set({ lease_until: sql`${now()} + ${sql.lit(leaseMs)}` })
        .execute();
    },

    /** @throws LeaseLost when the lease has gone to somebody else */
    async check({ id, version }: Lease): Promise<void> {
      const held = await db
        .selectFrom('requests')
        .select('id')
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst();
      if (!held) throw new LeaseLost(`request ${id} is somebody else's now`);
    },

    /**
     * Nothing is written when it throws.
     * @returns what people have asked for until then
     * @throws LeaseLost when the lease has gone to somebody else
     * @throws RunTaken
     */
    record: (lease: Lease, changes: RequestChanges) => write(lease, changedColumns(changes)),

    doubt: (id: string, at: number) => doubt(db, id, at),

    /**
     * Writes what was done and gives the requests back; each is due at its `dueAt`, or sooner if somebody wants that.
     * Whoever has lost a lease writes nothing.
     * @returns the ids of those whose lease was lost
     */
    async release(finished: readonly Finished[]): Promise<string[]> {
      // No transaction round them: rows that are locked one after the other could meet those of a sweep in the opposite
      // order. Over a file they share a commit anyway.
      const areGiven = await Promise.all(finished.map((each) => giveBack(db, each)));
      return finished.flatMap(({ lease }, index) => (areGiven[index] ? [] : [lease.id]));
    },

    /** How long until the next request that nobody holds is due; undefined when none is. */
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

/**
 * Somebody has lost the lease in the middle of something: has whoever holds the request now, or will, look for what may
 * stand twice and write the message once more.
 */
async function doubt(db: Db, id: string, at: number): Promise<void> {
  await db
    .updateTable('requests')
    .set({ doubted_at: at, doubles_look_at: at, show_again_at: at, due_at: nowMs(db) })
    .where('id', '=', id)
    .execute();
}

async function giveBack(db: Db, { lease, changes, dueAt }: Finished): Promise<boolean> {
  const written = await db
    .updateTable('requests')
    .set({
      ...changedColumns(changes),
      ...{ lease_owner: null, lease_until: 0, due_at: soonest(db, dueAt) },
    })
    .where('id', '=', lease.id)
    .where('version', '=', lease.version)
    .executeTakeFirst();
  const isGiven = written.numUpdatedRows === 1n;
  if (!isGiven && changes.shown !== undefined) await doubt(db, lease.id, Date.now());
  return isGiven;
}

/** Not the bare column on SQLite: it would take its index, and read every request that is followed. */
function isKnownStep(db: Db): Expression<SqlBool> {
  const step = isPostgres(db) ? sql`step` : sql`step || ''`;
  return sql<SqlBool>`${step} in (${sql.join(requestSteps)})`;
}

/** Run ids are the only thing of a request that changes and must be unique. */
const isTakenRun = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === '23505');

type Row = ExpressionBuilder<DatabaseSchema, 'requests'>;
type Condition = (row: Row) => Expression<SqlBool>;

/** Our own clock may differ from the one that says what is due: a request would be due at once, again and again. */
function soonest(db: Db, dueAt: number | null) {
  if (dueAt === null) return sql<number | null>`due_at`;
  const at = sql`${nowMs(db)} + ${Math.round(dueAt - Date.now())}`;
  return sql<number | null>`case when due_at < ${at} then due_at else ${at} end`;
}
