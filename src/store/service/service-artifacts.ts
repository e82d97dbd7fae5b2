import { z } from 'zod';
import { createColumns } from '../columns.ts';
import { Secret } from '../encryption/secret.ts';
import type { Db } from '../schema.ts';
import { activeStates } from './service-runs.ts';

const fileSchema = z.object({
  /** Where its content is stored, and the key that decrypts it. */
  contentName: z.string(),
  key: z.string(),
  bytes: z.number(),
  contentType: z.string(),
  /** Below the folder of its run's files. */
  path: z.string(),
});
export type ArtifactFile = z.infer<typeof fileSchema>;

const artifactSchema = z.object({
  uid: z.string(),
  runId: z.string(),
  number: z.number(),
  artifactType: z.enum(['FILE', 'SCREENSHOT', 'PLAN', 'EXTERNAL_REFERENCE']),
  data: z.object({
    file: fileSchema.optional(),
    /** Markdown of a plan. */
    text: z.string().optional(),
    /** An external reference. */
    link: z.object({ url: z.string(), title: z.string() }).optional(),
  }),
  createdAt: z.number(),
});
export type StoredArtifact = z.infer<typeof artifactSchema>;

const { read } = createColumns(artifactSchema);

export function createServiceArtifacts(db: Db) {
  return {
    /** Replaces what an active run left, unless another process than the given one has it. Can be repeated. */
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
          ...{ uid, run_id: runId, number, artifact_type: artifactType, created_at: createdAt },
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
export type ServiceArtifacts = ReturnType<typeof createServiceArtifacts>;
