import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ArtifactsBucket } from '../config/artifacts-url.ts';
import { type RunFiles, runFiles } from '../execution/files/run-files.ts';
import { createRunRemoval } from '../store/run-removal.ts';
import type { Db } from '../store/schema.ts';
import { forgetSpender, removeOldSpending } from '../store/spend-removal.ts';
import type { ContentStore } from './content-store.ts';
import { openContents } from './open-contents.ts';

export type RunRemover = ReturnType<typeof createRunRemover>;

/** Max runs to delete in one transaction, so that other transactions don't wait long. */
const atOnce = 100;

/**
 * Creates functions that delete ended runs with their output, changes and files. Rows are deleted first, because they
 * hold the keys of the files. After a crash, only a local transcript is still readable, until pruning deletes it.
 */
export function createRunRemover(db: Db, files: RunFiles, contents: ContentStore) {
  const removal = createRunRemoval(db);

  async function remove(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const { runIds, contentNames } = await removal.remove(ids);
    for (const id of runIds) await rm(files.transcriptDir(id), { recursive: true, force: true });
    for (const name of contentNames) await contents.delete(name);
    return runIds.length;
  }

  /** Deletes runs until `find` returns none, or none of them can be deleted. */
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
    async ofCreator(uid: string): Promise<number> {
      const removed = await removeAll((limit) => removal.ofCreator(uid, limit));
      await forgetSpender(db, uid);
      return removed;
    },
    /** Deletes the model calls of runs that were deleted. */
    spendingBefore: (time: number) => removeOldSpending(db, time),
    async byId(ids: readonly string[]): Promise<number> {
      let removed = 0;
      for (let at = 0; at < ids.length; at += atOnce)
        removed += await remove(ids.slice(at, at + atOnce));
      return removed;
    },
  };
}

/** Creates the functions that delete runs for a command, which can run while the service does. */
export function openRunRemover(
  db: Db,
  config: { dataDir: string; artifactsBucket: ArtifactsBucket | undefined },
): RunRemover {
  const files = runFiles(resolve(config.dataDir));
  return createRunRemover(db, files, openContents(config.artifactsBucket, files));
}
