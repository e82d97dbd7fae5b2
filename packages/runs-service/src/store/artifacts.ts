import { createColumns } from 'base/database/columns';
import { Secret } from 'base/encryption/secret';
import type { z } from 'zod';
import { owners } from './encrypted-columns.ts';
import { activeStates } from './runs.ts';
import { artifactSchema, type Db } from './schema.ts';

export type StoredArtifact = z.infer<typeof artifactSchema>;
export type ArtifactFile = NonNullable<StoredArtifact['data']['file']>;

const { read } = createColumns(artifactSchema, owners);

export function createArtifactStore(db: Db) {
  return {
    /**
     * Replaces the artifacts of an active run, unless a process other than `owner` executes the run. Can be repeated.
     */
    async replace(
      runId: string,
      owner: string | undefined,
      artifacts: readonly StoredArtifact[],
    ): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const mine = await trx
          .selectFrom('service_runs')
          .select('id')
          .where('id', '=', runId)
          .$if(owner !== undefined, (query) => query.where('lease_owner', '=', owner ?? null))
          .where('state', 'in', activeStates)
          .executeTakeFirst();
        if (!mine) return;
        await trx.deleteFrom('service_artifacts').where('run_id', '=', runId).execute();
        if (artifacts.length === 0) return;
        const rows = artifacts.map(({ uid, number, artifactType, data, createdAt }) => ({
          uid,
          run_id: runId,
          number,
          artifact_type: artifactType,
          created_at: createdAt,
          data_json: new Secret('data_json', uid, JSON.stringify(data)),
        }));
        await trx.insertInto('service_artifacts').values(rows).execute();
      });
    },

    async get(uid: string): Promise<StoredArtifact | undefined> {
      const row = await db
        .selectFrom('service_artifacts')
        .selectAll()
        .where('uid', '=', uid)
        .executeTakeFirst();
      return row && read(row);
    },

    async ofRuns(runIds: readonly string[]): Promise<Map<string, StoredArtifact[]>> {
      const found = new Map<string, StoredArtifact[]>();
      if (runIds.length === 0) return found;
      const rows = await db
        .selectFrom('service_artifacts')
        .selectAll()
        .where('run_id', 'in', runIds)
        .orderBy('run_id')
        .orderBy('number')
        .execute();
      for (const artifact of rows.map(read))
        found.set(artifact.runId, [...(found.get(artifact.runId) ?? []), artifact]);
      return found;
    },

    async deleteBefore(createdAt: number): Promise<void> {
      await db.deleteFrom('service_artifacts').where('created_at', '<', createdAt).execute();
    },
  };
}
export type ArtifactStore = ReturnType<typeof createArtifactStore>;
