import { Secret } from 'base/encryption/secret';
import { type Selectable, sql } from 'kysely';
import { activeStates } from './runs.ts';
import type { Db, RunProgressTable } from './schema.ts';

type StoredProgress = Selectable<RunProgressTable>;

/** Creates the store for the agents' progress. It's a separate table, because progress is large and changes often. */
export function createProgressStore(db: Db) {
  return {
    /** Saves the progress of an active run, unless a process other than `owner` executes the run. */
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
export type ProgressStore = ReturnType<typeof createProgressStore>;
