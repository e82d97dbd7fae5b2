import {
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely';
import { type DueAt, type Finished, type Lease, LeaseLost } from '../lib/leased-work.ts';
import { isPostgres, nowMs } from './database/clock.ts';
import type { DatabaseSchema, Db } from './schema.ts';

/** What every table has whose rows are leased. */
type LeasedRow = {
  id: string;
  version: number;
  due_at: number | null;
  lease_owner: string | null;
  lease_until: number;
};
/** Kysely can't type a table that isn't known yet, but all of them have these columns. */
type Leased = Kysely<{ leased: LeasedRow }>;
type LeasedTable = {
  [Table in keyof DatabaseSchema]: Selectable<DatabaseSchema[Table]> extends LeasedRow
    ? Table
    : never;
}[keyof DatabaseSchema];

type Columns<Table extends LeasedTable> = UpdateObject<DatabaseSchema, Table>;
type Condition = RawBuilder<SqlBool>;

type Rules = {
  /** Rows that this version may work on; all by default. */
  which?: Condition;
  /** What is leased first: each is looked for in turn, because no index serves all of them together. */
  order?: (now: RawBuilder<number>) => readonly Condition[];
};

const dueFirst = (now: RawBuilder<number>) => [
  sql<SqlBool>`due_at <= ${now}`,
  sql<SqlBool>`lease_owner is not null`,
];

/**
 * Who works on which row of a table: a due row is leased, worked on, and released with the time when it is due next. A
 * leased row has no due time, so one that is set during the lease remains after it.
 */
export function createLeases<Table extends LeasedTable>(db: Db, table: Table, rules: Rules = {}) {
  type Row = Selectable<DatabaseSchema[Table]>;
  const rows = db as unknown as Leased;
  const name = table as unknown as 'leased';
  const now = () => nowMs(db);
  const after = (ms: number) => sql<number>`${now()} + ${sql.lit(ms)}`;
  const { which = sql<SqlBool>`1 = 1`, order = dueFirst } = rules;

  async function lease(owner: string, leaseMs: number, limit: number, condition: Condition) {
    let ids = rows
      .selectFrom(name)
      .select('id')
      .where(condition)
      .where(which)
      .where('lease_until', '<=', now())
      .orderBy('due_at')
      .limit(limit);
    if (isPostgres(db)) ids = ids.forUpdate().skipLocked();
    const held = { lease_owner: owner, lease_until: after(leaseMs), due_at: null };
    const leased = await rows
      .updateTable(name)
      .set({ ...held, version: sql`version + 1` })
      .where('id', 'in', ids)
      .returningAll()
      .execute();
    return leased as unknown as Row[];
  }

  const ofLease = (columns: Columns<Table>, { id, version }: Lease) =>
    rows
      .updateTable(name)
      .set(columns as UpdateObject<{ leased: LeasedRow }, 'leased'>)
      .where('id', '=', id)
      .where('version', '=', version);

  const lost = ({ id }: Lease) => new LeaseLost(`${table} ${id} belongs to another replica now`);

  return {
    /** Leases rows that are due or whose lease ran out. */
    async claim(owner: string, leaseMs: number, limit: number): Promise<Row[]> {
      const leased: Row[] = [];
      for (const condition of order(now())) {
        if (leased.length >= limit) break;
        leased.push(...(await lease(owner, leaseMs, limit - leased.length, condition)));
      }
      return leased;
    },

    /** Only for rows that are being worked on: a lease that couldn't be released must run out. */
    async renew(owner: string, leaseMs: number, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await renew(db, name, { owner, ids, until: after(leaseMs) });
    },

    /** @throws LeaseLost if another replica has the lease */
    async check(held: Lease): Promise<void> {
      const row = await rows
        .selectFrom(name)
        .select('id')
        .where('id', '=', held.id)
        .where('version', '=', held.version)
        .executeTakeFirst();
      if (!row) throw lost(held);
    },

    /**
     * @returns these columns after the write, in which others may have written meanwhile
     * @throws LeaseLost if another replica has the lease; then nothing is written
     */
    async write<Column extends keyof Row & string>(
      held: Lease,
      columns: Columns<Table>,
      returning: readonly Column[],
    ): Promise<Pick<Row, Column>> {
      const written = await ofLease(columns, held)
        .returning(returning as unknown as 'id'[])
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
      columnsOf: (finished: Finished<Changes>) => Columns<Table>,
    ): Promise<string[]> {
      const released = finished.map((each) => {
        const free = { lease_owner: null, lease_until: 0, due_at: soonest(db, each.dueAt) };
        return ofLease({ ...free, ...columnsOf(each) }, each.lease).executeTakeFirst();
      });
      const written = await Promise.all(released);
      return finished.flatMap(({ lease: { id } }, index) =>
        written[index]?.numUpdatedRows === 1n ? [] : [id],
      );
    },

    /** How long until the next row that nobody has leased is due; undefined if none is. */
    async nextDueInMs(): Promise<number | undefined> {
      const row = await rows
        .selectFrom(name)
        .select(sql<number | null>`due_at - ${now()}`.as('ms'))
        .where('due_at', 'is not', null)
        .where(which)
        .where('lease_until', '<=', now())
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.ms ?? undefined;
    },
  };
}

type Renewal = { owner: string; ids: readonly string[]; until: RawBuilder<number> };

async function renew(db: Db, name: 'leased', { owner, ids, until }: Renewal): Promise<void> {
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
export function afterOwnMs(db: Db, at: number) {
  return sql<number>`${nowMs(db)} + ${Math.round(at - Date.now())}`;
}

function soonest(db: Db, dueAt: DueAt) {
  if (dueAt === null) return sql<number | null>`due_at`;
  const at = afterOwnMs(db, dueAt);
  return sql<number | null>`case when due_at < ${at} then due_at else ${at} end`;
}
