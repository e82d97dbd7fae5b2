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
/** Database type for the queries in this file. Kysely can't type a table if its name is only known at run time. */
type Leased = Kysely<{ leased: LeasedRow }>;
type LeasedTable<Schema> = {
  [Table in keyof Schema & string]: Selectable<Schema[Table]> extends LeasedRow ? Table : never;
}[keyof Schema & string];

type Condition = RawBuilder<SqlBool>;

type Rules = {
  /** Condition for the rows that this version can work on. Default: all rows. */
  which?: Condition;
  /**
   * Returns conditions in order of priority. Rows that match the first are leased first. Each condition is a separate
   * query, because no index covers all of them. A row that matches two conditions uses up two places of the limit.
   */
  order?: (now: RawBuilder<number>) => readonly [Condition, ...Condition[]];
  /** Condition for rows that are due although they have no due time. */
  others?: Condition;
  /** Time until the next row that matches `others` is due, in ms. Null if there is none. */
  othersInMs?: RawBuilder<number | null>;
};

type Claim = { owner: string; leaseMs: number; limit: number };

const whenDue: NonNullable<Rules['order']> = (now) => [sql<SqlBool>`due_at <= ${now}`];
const isLeased = sql<SqlBool>`lease_owner is not null`;

/**
 * Divides the rows of a table among workers. A due row is leased, worked on, and released with its next due time. A
 * leased row has no due time, so a due time that someone sets during the lease stays.
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
    /** Leases rows that are due or whose lease expired. */
    async claim(owner: string, leaseMs: number, limit: number): Promise<Row[]> {
      const leased = await claimRows(db, name, rules, { owner, leaseMs, limit }).execute();
      return leased as unknown as Row[];
    },

    /**
     * Extends the leases of these rows. Call it only for rows that are being worked on. The lease of a row that
     * couldn't be released must expire.
     */
    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await renew(db, name, { owner, ids, until: after(leaseMs) });
    },

    /**
     * Makes sure that the lease is still held.
     * @throws LeaseLost if another replica has the lease
     */
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
     * Writes columns of a leased row.
     * @returns the columns in `returning` after the write, because other writers may have changed them
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
     * Releases rows. Each is due at its `dueAt`, or sooner if someone set a sooner time. Uses no transaction, which
     * could deadlock with a statement that locks rows in another order.
     * @param columnsOf returns the columns to write with the release
     * @returns the IDs of rows whose lease was lost; nothing is written for them
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

    /**
     * Returns the time until the next row is due or a lease expires, in ms; undefined if neither will happen. Writes
     * nothing.
     */
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

/** Reads leased rows one by one, because an unreadable row must not stop work on the others. */
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

/** Creates a function that leases rows and returns the readable ones. */
export const claimOneByOne =
  <Stored extends Lease, Row>(
    { claim }: { claim(owner: string, leaseMs: number, limit: number): Promise<Stored[]> },
    read: (row: Stored) => Row,
  ) =>
  async (owner: string, leaseMs: number, limit: number, onUnreadable?: OnUnreadable) =>
    readEach(await claim(owner, leaseMs, limit), read, onUnreadable);

const all = sql<SqlBool>`1 = 1`;

/** Leases rows with one statement. */
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

/** Selects three times in ms: until the next row is due, until the next lease expires, and `othersInMs`. */
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
  // Locks rows in the order of their IDs, because two statements that lock them in different orders can deadlock.
  const locked = isPostgres(db) ? owned.orderBy('id').forUpdate() : owned;
  await rows.updateTable(name).set({ lease_until: until }).where('id', 'in', locked).execute();
}

/** Converts a time by this process's clock to the database's clock, which decides what is due. */
export function afterOwnMs(db: AnyDb, at: number) {
  const own = Date.now();
  return sql<number>`${nowMs(db, own)} + ${Math.round(at - own)}`;
}

function soonest(db: AnyDb, dueAt: number | null) {
  if (dueAt === null) return sql<number | null>`due_at`;
  const at = afterOwnMs(db, dueAt);
  return sql<number | null>`case when due_at < ${at} then due_at else ${at} end`;
}
