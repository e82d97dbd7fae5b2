import { sql } from 'kysely';
import { openStates } from './runs.ts';
import type { Db } from './schema.ts';

export type ServiceBacklog = ReturnType<typeof createServiceBacklog>;

/** Creates functions that read the number and age of all replicas' open runs. */
export function createServiceBacklog(db: Db) {
  return {
    /** Counts open runs by state, with the time when the oldest was created (epoch ms). */
    runs: (): Promise<{ name: string; count: number; oldestAt: number }[]> =>
      db
        .selectFrom('service_runs')
        .select([
          'state as name',
          sql<number>`count(*)`.as('count'),
          (row) => row.fn.min('created_at').as('oldestAt'),
        ])
        .where('state', 'in', openStates)
        .groupBy('state')
        .execute(),

    /** Checks the database. Rejects if it doesn't answer. */
    ping: async (): Promise<void> => void (await sql`select 1`.execute(db)),
  };
}
