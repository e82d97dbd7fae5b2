import { isPostgres } from 'base/database/clock';
import type { Db } from '../schema.ts';
import type { ServiceRun } from './service-runs.ts';

export type ServiceRunNews = Pick<ServiceRun, 'id' | 'state' | 'creator_uid' | 'updated_at'>;

export function createServiceRunFeed(db: Db) {
  return {
    /** Whether a change can become visible after a later one. On SQLite, one waits for the other. */
    mayCommitLate: isPostgres(db),

    /** The time of the newest change; 0 without runs. */
    async newest(): Promise<number> {
      const row = await db
        .selectFrom('service_runs')
        .select(({ fn }) => fn.max<number | null>('updated_at').as('newest'))
        .executeTakeFirst();
      return row?.newest ?? 0;
    },

    /** The runs that changed after `at`, oldest change first. */
    async since(at: number, limit: number): Promise<ServiceRunNews[]> {
      return db
        .selectFrom('service_runs')
        .select(['id', 'state', 'creator_uid', 'updated_at'])
        .where('updated_at', '>', at)
        .orderBy('updated_at')
        .limit(limit)
        .execute();
    },
  };
}
export type ServiceRunFeed = ReturnType<typeof createServiceRunFeed>;
