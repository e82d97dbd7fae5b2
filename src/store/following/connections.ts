import { type Selectable, sql, type Updateable } from 'kysely';
import { isPostgres, nowMs } from '../database/clock.ts';
import type { RequestProblem } from '../requests/request-row.ts';
import type { ConnectionsTable, Db } from '../schema.ts';

/**
 * How runs are watched: by their changes since the last sweep, by the list of active runs if the service can't list
 * changes, or one by one.
 */
export type WatchMode = 'changes' | 'active list' | 'one by one';

/** A base URL and an API key, and how its API is doing. Times are epoch milliseconds. */
export type Connection = {
  id: string;
  version: number;
  mode: WatchMode;
  modeUntil: number;
  /** The next sweep asks for changes since then, by the service's clock; null before the first. */
  watermark: number | null;
  failures: number;
  problem: RequestProblem | null;
  problemShown: boolean;
  /** When the next followed run is checked, and which one was checked last. */
  checkAt: number;
  checkedRunId: string | null;
};

export type ConnectionChanges = Partial<Omit<Connection, 'id' | 'version'>>;

export type Connections = ReturnType<typeof createConnections>;

/** Who sweeps which connection, and when. Leases work as for requests. */
export function createConnections(db: Db) {
  const now = () => nowMs(db);

  /** This time, or the stored one if it's sooner. */
  function soonest(inMs: number | null) {
    const there = sql.ref<number | null>('connections.next_sweep_at');
    if (inMs === null) return there;
    const at = sql<number>`${now()} + ${sql.lit(inMs)}`;
    return sql<number>`case when ${there} < ${at} then ${there} else ${at} end`;
  }

  /** Null if nobody holds the connection and no sweep is due. */
  const whenClaimable = () =>
    sql<number | null>`case when lease_owner is null then next_sweep_at else lease_until end`;

  return {
    /** Has the connection swept within `inMs`, and creates it if needed. During a backoff the next sweep stays as it is. */
    async wake(id: string, inMs: number): Promise<void> {
      const at = sql<number>`${now()} + ${sql.lit(inMs)}`;
      const isWaiting = sql`connections.failures > 0 and connections.next_sweep_at is not null`;
      const sooner = sql<number>`case when ${isWaiting} then connections.next_sweep_at else ${soonest(inMs)} end`;
      await db
        .insertInto('connections')
        .values({ id, mode: 'changes' satisfies WatchMode, next_sweep_at: at })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ next_sweep_at: sooner }))
        .execute();
    },

    async find(id: string): Promise<Connection | undefined> {
      const row = await db
        .selectFrom('connections')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && readConnection(row);
    },

    async claim(owner: string, leaseMs: number): Promise<Connection | undefined> {
      let due = db
        .selectFrom('connections')
        .select('id')
        .where(whenClaimable(), '<=', now())
        .limit(1);
      if (isPostgres(db)) due = due.forUpdate().skipLocked();
      const row = await db
        .updateTable('connections')
        .set({
          lease_owner: owner,
          lease_until: sql`${now()} + ${sql.lit(leaseMs)}`,
          version: sql`version + 1`,
          next_sweep_at: null,
        })
        .where('id', 'in', due)
        .returningAll()
        .executeTakeFirst();
      return row && readConnection(row);
    },

    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('connections')
        .set({ lease_until: sql`${now()} + ${sql.lit(leaseMs)}` })
        .where('lease_owner', '=', owner)
        .where('id', 'in', ids)
        .execute();
    },

    /** Writes what a sweep found and releases the lease; nothing if the lease was lost. After a failure the backoff counts. */
    async release(
      { id, version }: Connection,
      changes: ConnectionChanges,
      nextSweepInMs: number | null,
    ): Promise<void> {
      const hasFailed = changes.failures !== undefined && changes.failures > 0;
      const inMs = sql<number>`${now()} + ${sql.lit(nextSweepInMs)}`;
      await db
        .updateTable('connections')
        .set({
          ...changedColumns(changes),
          next_sweep_at: hasFailed ? inMs : soonest(nextSweepInMs),
          lease_owner: null,
          lease_until: 0,
        })
        .where('id', '=', id)
        .where('version', '=', version)
        .execute();
    },

    /** How long until the next sweep is due or a lease runs out; undefined if neither is. */
    async nextDueInMs(): Promise<number | undefined> {
      const row = await db
        .selectFrom('connections')
        .select(sql<number | null>`min(${whenClaimable()}) - ${now()}`.as('ms'))
        .executeTakeFirst();
      return row?.ms ?? undefined;
    },
  };
}

function changedColumns({
  problem,
  problemShown,
  modeUntil,
  checkAt,
  checkedRunId,
  ...plain
}: ConnectionChanges): Updateable<ConnectionsTable> {
  return {
    ...plain,
    ...(modeUntil !== undefined && { mode_until: modeUntil }),
    ...(checkAt !== undefined && { check_at: checkAt }),
    ...(checkedRunId !== undefined && { checked_run_id: checkedRunId }),
    ...(problemShown !== undefined && { problem_shown: problemShown ? 1 : 0 }),
    ...(problem !== undefined && { problem_json: problem && JSON.stringify(problem) }),
  };
}

function readConnection(row: Selectable<ConnectionsTable>): Connection {
  return {
    id: row.id,
    version: row.version,
    mode: row.mode as WatchMode,
    modeUntil: row.mode_until,
    watermark: row.watermark,
    failures: row.failures,
    problem: row.problem_json === null ? null : (JSON.parse(row.problem_json) as RequestProblem),
    problemShown: row.problem_shown === 1,
    checkAt: row.check_at,
    checkedRunId: row.checked_run_id,
  };
}
