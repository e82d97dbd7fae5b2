import { nowMs } from 'base/database/clock';
import { createColumns } from 'base/database/columns';
import { afterOwnMs, claimOneByOne, createLeases } from 'base/database/leases';
import type { Finished, Lease } from 'base/leased-work';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { operatorConnection } from '../../requests/connection.ts';
import { requestProblemSchema } from '../../requests/run-progress.ts';
import { isOwned } from '../database-owner.ts';
import { owners } from '../encrypted-columns.ts';
import type { ConnectionsTable, Db } from '../schema.ts';

/**
 * Way to find changes of runs. Sweeps list the changes, or the active runs if the service can't list changes, or poll
 * runs one by one.
 */
type WatchMode = 'changes' | 'active list' | 'one by one';

/** A connection and the state of its API. Times are epoch milliseconds. */
const connectionSchema = z.object({
  id: z.string(),
  mode: z.custom<WatchMode>(),
  /** Time when sweeps try the best way to find changes again. */
  modeUntil: z.number(),
  /** Time by the service's clock from which the next sweep lists changes. Null before the first sweep. */
  watermark: z.number().nullable(),
  failures: z.number(),
  problem: requestProblemSchema.nullable(),
  /** True if run messages show the problem. */
  problemShown: z.boolean(),
  /** Time of the next check of a single run, and the run that was checked last. */
  checkAt: z.number(),
  checkedRunId: z.string().nullable(),
});
export type Connection = z.infer<typeof connectionSchema> & Pick<Lease, 'version'>;
const columns = createColumns(connectionSchema, owners);

export type ConnectionChanges = Partial<Omit<Connection, 'id' | 'version'>>;

export type Connections = ReturnType<typeof createConnections>;

/** Creates the store of connections, each leased for one sweep. */
export function createConnections(db: Db) {
  /** Time when the connection can be claimed: its due time, or the end of its lease. Null if no sweep is due. */
  const claimableAt = sql<
    number | null
  >`case when lease_owner is null then due_at else lease_until end`;
  const leases = createLeases(db, 'connections', {
    which: isOwned('connections'),
    order: (at) => [sql<SqlBool>`${claimableAt} <= ${at}`],
  });
  const soonerIn = (inMs: number) => {
    const at = sql<number>`${nowMs(db)} + ${inMs}`;
    const there = sql.ref<number | null>('connections.due_at');
    const isWaiting = sql`connections.failures > 0 and ${there} is not null`;
    const due_at = sql<number>`case when ${isWaiting} or ${there} < ${at} then ${there} else ${at} end`;
    return { at, due: { due_at } };
  };

  return {
    renew: leases.renew,

    /**
     * Makes the next sweep due within `inMs`, but doesn't shorten the wait after a failure. Creates the operator's
     * connection if it's missing.
     */
    async wake(id: string, inMs: number): Promise<void> {
      const { at, due } = soonerIn(inMs);
      if (id === operatorConnection) {
        await db
          .insertInto('connections')
          .values({ id, mode: 'changes' satisfies WatchMode, due_at: at })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(due))
          .execute();
        return;
      }
      await db.updateTable('connections').set(due).where('id', '=', id).execute();
    },

    async find(id: string): Promise<Connection | undefined> {
      const row = await db
        .selectFrom('connections')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && readConnection(row);
    },

    claim: claimOneByOne(leases, readConnection),

    /**
     * Writes changes of a leased connection.
     * @throws LeaseLost
     */
    async record(lease: Lease, changes: ConnectionChanges): Promise<void> {
      await leases.write(lease, columns.write(changes), ['id']);
    },

    release: (finished: readonly Finished<ConnectionChanges>[]): Promise<string[]> =>
      leases.release(finished, ({ changes, dueAt }) => {
        // After a failure, keep the wait before the next sweep, even if someone requested an earlier one.
        const hasFailed = (changes.failures ?? 0) > 0 && dueAt !== null;
        return {
          ...columns.write(changes),
          ...(hasFailed && { due_at: afterOwnMs(db, dueAt) }),
        };
      }),

    /** Returns the time until the next sweep is due or a lease expires, in ms. Undefined if neither will happen. */
    async nextDueInMs(): Promise<number | undefined> {
      const row = await db
        .selectFrom('connections')
        .select(sql<number | null>`min(${claimableAt}) - ${nowMs(db)}`.as('ms'))
        .where(isOwned('connections'))
        .executeTakeFirst();
      return row?.ms ?? undefined;
    },
  };
}

const readConnection = (row: Selectable<ConnectionsTable>): Connection => ({
  ...columns.read(row),
  version: row.version,
});
