import { PostgresAdapter } from 'kysely';
import type { Db } from './database.ts';
import { type RunRequest, readRow } from './request-row.ts';

export type RequestLeases = ReturnType<typeof createRequestLeases>;

/** Who works on which request: a due row is leased, worked on, and released with the time when it is due next. */
export function createRequestLeases(db: Db) {
  const onPostgres = db.getExecutor().adapter instanceof PostgresAdapter;

  return {
    /** Leases due requests to `owner` until `leaseUntil`; nobody else gets them before that. */
    async claim(claim: {
      now: number;
      owner: string;
      leaseUntil: number;
      limit: number;
    }): Promise<RunRequest[]> {
      let due = db
        .selectFrom('requests')
        .select('id')
        .where('due_at', '<=', claim.now)
        .where('lease_until', '<=', claim.now)
        .orderBy('due_at')
        .limit(claim.limit);
      if (onPostgres) due = due.forUpdate().skipLocked();
      const rows = await db
        .updateTable('requests')
        .set({ lease_owner: claim.owner, lease_until: claim.leaseUntil })
        .where('id', 'in', due)
        .returningAll()
        .execute();
      return rows.map(readRow);
    },

    async renew(owner: string, leaseUntil: number): Promise<void> {
      await db
        .updateTable('requests')
        .set({ lease_until: leaseUntil })
        .where('lease_owner', '=', owner)
        .execute();
    },

    /** Gives the request back; `dueAt` says when somebody should look again. */
    async release(id: string, owner: string, dueAt: number | null): Promise<void> {
      await db
        .updateTable('requests')
        .set({ lease_owner: null, lease_until: 0, due_at: dueAt })
        .where('id', '=', id)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /** When the next request that nobody holds is due; undefined when none is. */
    async nextDueAt(now: number): Promise<number | undefined> {
      const row = await db
        .selectFrom('requests')
        .select((select) => select.fn.min('due_at').as('due_at'))
        .where('due_at', 'is not', null)
        .where('lease_until', '<=', now)
        .executeTakeFirst();
      return row?.due_at ?? undefined;
    },
  };
}
