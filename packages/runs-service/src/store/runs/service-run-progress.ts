import { Secret } from 'base/encryption/secret';
import { type Selectable, sql } from 'kysely';
import type { Db, ServiceRunProgressTable } from '../schema.ts';
import { activeStates } from './service-runs.ts';

type StoredProgress = Selectable<ServiceRunProgressTable>;

/** What agents report while they work, in a table of its own: it is large and changes often. */
export function createServiceRunProgress(db: Db) {
  return {
    /** Only while the run is active, and if given, only for a run that this process executes. */
    async save(runId: string, owner: string | undefined, progressJson: string): Promise<void> {
      await db
        .insertInto('service_run_progress')
        .columns(['run_id', 'progress_json', 'changed_at'])
        .expression(
          db
            .selectFrom('service_runs')
            .select([
              'id',
              sql<string>`cast(${new Secret('progress_json', runId, progressJson)} as text)`.as(
                'progress_json',
              ),
              sql<number>`cast(${Date.now()} as bigint)`.as('changed_at'),
            ])
            .where('id', '=', runId)
            .$if(owner !== undefined, (query) => query.where('lease_owner', '=', owner ?? null))
            .where('state', 'in', activeStates),
        )
        .onConflict((conflict) =>
          conflict.column('run_id').doUpdateSet(({ ref }) => ({
            progress_json: ref('excluded.progress_json'),
            changed_at: ref('excluded.changed_at'),
          })),
        )
        .execute();
    },

    async listOf(runIds: readonly string[]): Promise<StoredProgress[]> {
      if (runIds.length === 0) return [];
      return db
        .selectFrom('service_run_progress')
        .selectAll()
        .where('run_id', 'in', runIds)
        .execute();
    },
  };
}
export type ServiceRunProgress = ReturnType<typeof createServiceRunProgress>;
