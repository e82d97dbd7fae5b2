import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { findEnvironment, type ServiceEnvironment } from './environments/environments.ts';
import { maxUnusedMs, pruneFolder } from './execution/files/prune-folder.ts';
import type { RunFiles } from './execution/files/run-files.ts';
import type { Checkouts } from './execution/git/checkout.ts';
import { pruneMemories } from './execution/memory/conversation-memory.ts';
import type { Trash } from './sandbox/deletion/trash.ts';
import type { Sandboxes } from './sandbox/sandboxes.ts';
import type { ArtifactStore } from './store/artifacts.ts';
import type { Conversations } from './store/kept-conversations.ts';
import type { Runs } from './store/runs.ts';

const dayMs = 24 * 60 * 60_000;
const checkMs = 6 * 60 * 60_000;

/** Longest time that creating a run can take, in ms. */
const lostAfterMs = 60 * 60_000;

type IncomingOptions = { files: RunFiles; runs: Pick<Runs, 'get'> };

type HousekeepingOptions = IncomingOptions & {
  runs: Pick<Runs, 'deleteLostAttachments'>;
  checkouts: Pick<Checkouts, 'prune' | 'pack'>;
  sandboxes: Pick<Sandboxes, 'fallback'>;
  trash: Pick<Trash, 'discard' | 'empty'>;
  transcriptAgeMs: number;
  conversations: Conversations;
  retentionDays: number | undefined;
  remover: { unchangedSince(time: number): Promise<number> };
  artifacts: Pick<ArtifactStore, 'deleteBefore'>;
  /** Contents of artifacts. */
  contents: { prune?(maxAgeMs: number, signal: AbortSignal): Promise<number> };
  environments: () => readonly ServiceEnvironment[];
  logger: Logger;
};

/**
 * Deletes old files at the start and every six hours, and old runs if the operator wants that. Packs the copies of
 * repositories.
 */
export function createHousekeeping(options: HousekeepingOptions): Loop {
  const { files, checkouts, sandboxes, trash, transcriptAgeMs, retentionDays, logger } = options;
  return new Loop(async (signal) => {
    try {
      const runs =
        retentionDays === undefined
          ? 0
          : await options.remover.unchangedSince(Date.now() - retentionDays * dayMs);
      const transcripts = await pruneFolder(files.transcriptsDir, transcriptAgeMs);
      await pruneIncoming(options);
      const memories = await pruneMemories({ ...options, folder: files.conversationsDir });
      await options.runs.deleteLostAttachments(Date.now() - lostAfterMs);
      await options.artifacts.deleteBefore(Date.now() - transcriptAgeMs);
      const mirrors = await checkouts.prune();
      const spares = await pruneFolder(files.sparesDir, maxUnusedMs, {
        remove: (folder) =>
          trash.discard(folder, { runId: 'spare', environment: sandboxes.fallback }),
      });
      await trash.empty(async (runId) => {
        const run = await options.runs.get(runId);
        return findEnvironment(options.environments(), run?.environment_id ?? '');
      });
      // Delete files that a crash left on this machine before they were uploaded to a bucket.
      const local = await pruneFolder(files.artifactsDir, transcriptAgeMs);
      // Comes last, because the bucket can be unavailable.
      const contents = local + ((await options.contents.prune?.(transcriptAgeMs, signal)) ?? 0);
      if (runs + transcripts + memories + contents + spares + mirrors > 0)
        logger.info(
          { runs, transcripts, memories, contents, spares, mirrors },
          'deleted old files',
        );
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'cannot delete old files');
    }
    try {
      const mirrors = await checkouts.pack(signal);
      if (mirrors > 0) logger.info({ mirrors }, 'packed copies of repositories');
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'cannot pack the copies of repositories');
    }
    return checkMs;
  });
}

/** Deletes files that remote runs sent before their process was lost. */
async function pruneIncoming({ files, runs }: IncomingOptions): Promise<void> {
  for (const id of await readdir(files.transcriptsDir).catch(() => [])) {
    const folder = files.incomingDir(id);
    if (!existsSync(folder)) continue;
    const run = await runs.get(id);
    if (run === undefined || run.ended_at !== null) await pruneFolder(folder, 0);
  }
}
