import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres, nowMs } from './clock.ts';
import type { Db } from './database.ts';
import { changedColumns, type RequestChanges, type RunRequest, readRow } from './request-row.ts';
import type { DatabaseSchema } from './schema.ts';

export type RequestLeases = ReturnType<typeof createRequestLeases>;

/** Which lease a write belongs to. Every lease of a request has a higher version than the one before. */
export type Lease = { id: string; version: number };

/** Somebody else has the request now: whatever was being done for it must not be done. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Who works on which request: a due row is leased, worked on, and released with the time when it is due next. */
export function createRequestLeases(db: Db) {
  const now = () => nowMs(db);

  async function write({ id, version }: Lease, columns: ReturnType<typeof changedColumns>) {
    const written = await db
      .updateTable('requests')
      .set(columns)
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    if (written.numUpdatedRows !== 1n) throw new LeaseLost(`request ${id} is somebody else's now`);
  }

  /** Two conditions in one statement would read the whole table: neither index serves both. */
  async function lease(owner: string, leaseMs: number, limit: number, which: Condition) {
    let ids = db
      .selectFrom('requests')
      .select('id')
      .where(which)
      .where('lease_until', '<=', now())
      .orderBy(sql`case when ended_at is null then 1 else 0 end`)
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
      const due = await lease(owner, leaseMs, limit, (row) => row('due_at', '<=', now()));
      if (due.length === limit) return due;
      const left = await lease(owner, leaseMs, limit - due.length, (row) =>
        row('lease_owner', 'is not', null),
      );
      return [...due, ...left];
    },

    /** Only what is really being worked on: a lease that could not be given back must run out. */
    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('requests')
        .set({ lease_until: sql`${now()} + ${sql.lit(leaseMs)}` })
        .where('lease_owner', '=', owner)
        .where('id', 'in', ids)
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

    /** @throws LeaseLost when the lease has gone to somebody else; nothing is written then */
    record: (lease: Lease, changes: RequestChanges) => write(lease, changedColumns(changes)),

    /**
     * Somebody has lost the lease in the middle of something: has whoever holds the request now, or will, look for
     * what may stand twice and write the message once more.
     */
    async doubt(id: string, at: number): Promise<void> {
      await db
        .updateTable('requests')
        .set({ doubted_at: at, doubles_look_at: at, show_again_at: at, due_at: now() })
        .where('id', '=', id)
        .execute();
    },

    /** Gives the request back, due at `dueAt` or sooner if somebody wants that. A lost lease changes nothing. */
    async release({ id, version }: Lease, dueAt: number | null): Promise<void> {
      await db
        .updateTable('requests')
        .set({ lease_owner: null, lease_until: 0, due_at: soonest(dueAt) })
        .where('id', '=', id)
        .where('version', '=', version)
        .execute();
    },

    /** How long until the next request that nobody holds is due; undefined when none is. */
    async nextDueInMs(): Promise<number | undefined> {
      const row = await db
        .selectFrom('requests')
        .select(sql<number | null>`due_at - ${now()}`.as('ms'))
        .where('due_at', 'is not', null)
        .where('lease_until', '<=', now())
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.ms ?? undefined;
    },
  };
}

type Condition = (row: ExpressionBuilder<DatabaseSchema, 'requests'>) => Expression<SqlBool>;

function soonest(dueAt: number | null) {
  if (dueAt === null) return sql<number | null>`due_at`;
  return sql<number | null>`case when due_at < ${dueAt} then due_at else ${dueAt} end`;
}
