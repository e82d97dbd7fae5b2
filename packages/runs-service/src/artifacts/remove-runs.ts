import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ArtifactsBucket } from '../config/artifacts-url.ts';
import { type RunFiles, runFiles } from '../execution/files/run-files.ts';
import {
  createServiceRunRemoval,
  type ServiceRunRemoval,
} from '../store/runs/service-run-removal.ts';
import type { Db } from '../store/schema.ts';
import type { ContentStore } from './content-store.ts';
import { openContents } from './open-contents.ts';

export type RunRemover = ReturnType<typeof createRunRemover>;

type Options = {
  removal: ServiceRunRemoval;
  files: Pick<RunFiles, 'transcriptDir'>;
  contents: Pick<ContentStore, 'delete'>;
};

/** A transaction shouldn't keep others waiting. */
const atOnce = 100;

/**
 * Deletes ended runs with their output, changes and files. The rows go first: with them go the keys of the files, so that a
 * crash leaves nothing readable but a transcript on this machine, which is pruned later.
 */
export function createRunRemover({ removal, files, contents }: Options) {
  async function remove(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const { runIds, contentNames } = await removal.remove(ids);
    for (const id of runIds) await rm(files.transcriptDir(id), { recursive: true, force: true });
    for (const name of contentNames) await contents.delete(name);
    return runIds.length;
  }

  /** Until there are none left, or nothing can be deleted. */
  async function removeAll(find: (limit: number) => Promise<string[]>): Promise<number> {
    let removed = 0;
    for (;;) {
      const count = await remove(await find(atOnce));
      if (count === 0) return removed;
      removed += count;
    }
  }

  return {
    unchangedSince: (time: number) => removeAll((limit) => removal.unchangedSince(time, limit)),
    ofCreator: (uid: string) => removeAll((limit) => removal.ofCreator(uid, limit)),
    async byId(ids: readonly string[]): Promise<number> {
      let removed = 0;
      for (let at = 0; at < ids.length; at += atOnce)
        removed += await remove(ids.slice(at, at + atOnce));
      return removed;
    },
  };
}

type Place = { dataDir: string; artifactsBucket: ArtifactsBucket | undefined };

/** For a command. A service may be running at the same time. */
export function openRunRemover(db: Db, { dataDir, artifactsBucket }: Place): RunRemover {
  const files = runFiles(resolve(dataDir));
  const contents = openContents(artifactsBucket, files);
  return createRunRemover({ removal: createServiceRunRemoval(db), files, contents });
}
