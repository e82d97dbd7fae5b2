import {
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely';
import { type Finished, type Lease, LeaseLost, type OnUnreadable } from '../leased-work.ts';
import { isPostgres, nowMs } from './clock.ts';
import type { AnyDb } from './tables.ts';

/** Columns of every table with leased rows. */
type LeasedRow = {
  id: string;
  version: number;
  due_at: number | null;
  lease_owner: string | null;
  lease_until: number;
};
/** Kysely can't type a table that isn't known yet, but all of them have these columns. */
type Leased = Kysely<{ leased: LeasedRow }>;
type LeasedTable<Schema> = {
  [Table in keyof Schema & string]: Selectable<Schema[Table]> extends LeasedRow ? Table : never;
}[keyof Schema & string];

type Condition = RawBuilder<SqlBool>;

type Rules = {
  /** Rows that this version may work on; all by default. */
  which?: Condition;
  /**
   * Rows that are leased first. Each is looked for in turn, because no index serves all of them together. A row that fits two
   * takes the room of two, so some of the others come in the next round.
   */
  order?: (now: RawBuilder<number>) => readonly [Condition, ...Condition[]];
  /** Rows without a due time and a lease that are due too. */
  others?: Condition;
  /** Time until a row without a due time and a lease is due, in ms; null if there is none. */
  othersInMs?: RawBuilder<number | null>;
};

type Claim = { owner: string; leaseMs: number; limit: number };

const whenDue: NonNullable<Rules['order']> = (now) => [sql<SqlBool>`due_at <= ${now}`];
const isLeased = sql<SqlBool>`lease_owner is not null`;

/**
 * Divides the rows of a table among workers: a due row is leased, worked on, and released with the time when it is due next. A
 * leased row has no due time, so one that is set during the lease remains after it.
 */
export function createLeases<Schema, Table extends LeasedTable<Schema>>(
  db: Kysely<Schema>,
  table: Table,
  rules: Rules = {},
) {
  type Row = Selectable<Schema[Table]>;
  type Columns = UpdateObject<Schema, Table>;
  const rows = db as unknown as Leased;
  const name = table as unknown as 'leased';
  const now = () => nowMs(db);
  const after = (ms: number) => sql<number>`${now()} + ${sql.lit(ms)}`;
  const update = ({ id, version }: Lease, columns: object) =>
    rows
      .updateTable(name)
      .set(columns as UpdateObject<{ leased: LeasedRow }, 'leased'>)
      .where('id', '=', id)
      .where('version', '=', version);

  const lost = ({ id }: Lease) => new LeaseLost(`${table} ${id} belongs to another replica now`);

  return {
    /** Leases rows that are due or whose lease ran out. */
    async claim(owner: string, leaseMs: number, limit: number): Promise<Row[]> {
      const leased = await claimRows(db, name, rules, { owner, leaseMs, limit }).execute();
      return leased as unknown as Row[];
    },

    /** Only for rows that are being worked on: a lease that couldn't be released must run out. */
    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await renew(db, name, { owner, ids, until: after(leaseMs) });
    },

    /** @throws LeaseLost if another replica has the lease */
    async check(held: Lease): Promise<void> {
      const found = await rows
        .selectFrom(name)
        .select('id')
        .where('id', '=', held.id)
        .where('version', '=', held.version)
        .executeTakeFirst();
      if (!found) throw lost(held);
    },

    /**
     * @returns these columns after the write, in which others may have written meanwhile
     * @throws LeaseLost if another replica has the lease; then nothing is written
     */
    async write<Column extends keyof Row & string>(
      held: Lease,
      columns: Columns,
      returning: readonly Column[],
    ): Promise<Pick<Row, Column>> {
      const written = await update(held, columns)
        .returning(returning as readonly string[] as readonly 'id'[])
        .executeTakeFirst();
      if (!written) throw lost(held);
      return written as unknown as Pick<Row, Column>;
    },

    /**
     * Each row is due at its `dueAt`, or sooner if someone set that. Without a transaction, which could deadlock with a
     * statement that locks the rows in another order.
     * @param columnsOf what is written with the release
     * @returns the ids of rows whose lease was lost; nothing is written for them
     */
    async release<Changes>(
      finished: readonly Finished<Changes>[],
      columnsOf: (finished: Finished<Changes>) => Columns,
    ): Promise<string[]> {
      const released = finished.map(async (each) => {
        const free = { lease_owner: null, lease_until: 0, due_at: soonest(db, each.dueAt) };
        const columns = { ...free, ...columnsOf(each) };
        const { numUpdatedRows } = await update(each.lease, columns).executeTakeFirstOrThrow();
        return numUpdatedRows === 1n ? [] : [each.lease.id];
      });
      return (await Promise.all(released)).flat();
    },

    /** Time until the next row is due or a lease runs out, in ms; undefined if neither is. Nothing is written. */
    async nextDueInMs(): Promise<number | undefined> {
      const next = await selectNext(db, name, rules).executeTakeFirst();
      const times = [next?.due, next?.leased, next?.other].flatMap((ms) => ms ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}

const rethrow: OnUnreadable = (_, error) => {
  throw error;
};

/** Reads leased rows one by one: one that can't be read must not keep the others from being worked on. */
export const readEach = <Stored extends Lease, Row>(
  rows: readonly Stored[],
  read: (row: Stored) => Row,
  onUnreadable: OnUnreadable = rethrow,
): Row[] =>
  rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      onUnreadable(row, error);
      return [];
    }
  });

/** Leases rows, and answers those that can be read. */
export const claimOneByOne =
  <Stored extends Lease, Row>(
    { claim }: { claim(owner: string, leaseMs: number, limit: number): Promise<Stored[]> },
    read: (row: Stored) => Row,
  ) =>
  async (owner: string, leaseMs: number, limit: number, onUnreadable?: OnUnreadable) =>
    readEach(await claim(owner, leaseMs, limit), read, onUnreadable);

const all = sql<SqlBool>`1 = 1`;

/** Leases rows, in one statement. */
function claimRows(
  db: AnyDb,
  name: 'leased',
  { which = all, order = whenDue, others }: Rules,
  { owner, leaseMs, limit }: Claim,
) {
  const rows = db as unknown as Leased;
  const at = nowMs(db);
  const free = (condition: Condition, isInOrder: boolean) => {
    const fitting = rows
      .selectFrom(name)
      .select('id')
      .where(condition)
      .where(which)
      .where('lease_until', '<=', at);
    const ids = (isInOrder ? fitting.orderBy('due_at') : fitting).limit(limit);
    const unlocked = isPostgres(db) ? ids.forUpdate().skipLocked() : ids;
    return rows.selectFrom(unlocked.as('free')).select('id');
  };
  const [first, ...next] = order(at);
  const ids = [
    ...next.map((each) => free(each, true)),
    ...[isLeased, ...(others ? [others] : [])].map((each) => free(each, false)),
  ].reduce((sum, each) => sum.unionAll(each), free(first, true));
  const until = sql<number>`${at} + ${leaseMs}`;
  return rows
    .updateTable(name)
    .set({ lease_owner: owner, lease_until: until, due_at: null, version: sql`version + 1` })
    .where('id', 'in', ids.limit(limit))
    .returningAll();
}

/** Selects the times in ms until rows are due or leases run out. */
function selectNext(
  db: AnyDb,
  name: 'leased',
  { which = all, othersInMs = sql<null>`null` }: Rules,
) {
  const rows = db as unknown as Leased;
  const at = nowMs(db);
  const due = rows
    .selectFrom(name)
    .select(sql<number>`due_at - ${at}`.as('ms'))
    .where('due_at', 'is not', null)
    .where(which)
    .where('lease_until', '<=', at)
    .orderBy('due_at')
    .limit(1);
  const leased = rows
    .selectFrom(name)
    .select(sql<number>`min(lease_until) - ${at}`.as('ms'))
    .where('lease_owner', 'is not', null)
    .where(which);
  return rows.selectNoFrom([due.as('due'), leased.as('leased'), othersInMs.as('other')]);
}

type Renewal = { owner: string; ids: readonly string[]; until: RawBuilder<number> };

async function renew(db: AnyDb, name: 'leased', { owner, ids, until }: Renewal): Promise<void> {
  const rows = db as unknown as Leased;
  const owned = rows
    .selectFrom(name)
    .select('id')
    .where('lease_owner', '=', owner)
    .where('id', 'in', ids);
  // In the order of their ids: two statements that lock the same rows in different orders deadlock.
  const locked = isPostgres(db) ? owned.orderBy('id').forUpdate() : owned;
  await rows.updateTable(name).set({ lease_until: until }).where('id', 'in', locked).execute();
}

/** Relative, because our clock may differ from the one that decides what is due. */
export function afterOwnMs(db: AnyDb, at: number) {
  const own = Date.now();
  return sql<number>`${nowMs(db, own)} + ${Math.round(at - own)}`;
}

function soonest(db: AnyDb, dueAt: number | null) {
  if (dueAt === null) return sql<number | null>`due_at`;
  const at = afterOwnMs(db, dueAt);
  return sql<number | null>`case when due_at < ${at} then due_at else ${at} end`;
}
