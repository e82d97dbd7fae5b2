import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { ContentStore } from './artifacts/content-store.ts';
import type { RunRemover } from './artifacts/remove-runs.ts';
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

/** Age at which an attachment without a run is deleted, in ms. Creating a run never takes that long. */
const lostAfterMs = 60 * 60_000;

type HousekeepingDeps = {
  store: { runs: Runs; conversations: Conversations; artifacts: ArtifactStore };
  machine: { files: RunFiles; checkouts: Checkouts; trash: Trash; sandboxes: Sandboxes };
  /** Store for the contents of artifacts. */
  contents: ContentStore;
  remover: RunRemover;
  environments: () => readonly ServiceEnvironment[];
  /** Age at which outputs, patches and artifacts are deleted, in ms. */
  transcriptAgeMs: number;
  /** Days without a change after which ended runs are deleted. */
  retentionDays: number | undefined;
  logger: Logger;
};

/**
 * Creates a loop that deletes old files at the start and every six hours, and old runs if `retentionDays` is set. It
 * also repacks the local copies of repositories.
 */
export function createHousekeeping(deps: HousekeepingDeps): Loop {
  const { store, machine, environments, transcriptAgeMs, retentionDays, logger } = deps;
  const { runs, conversations, artifacts } = store;
  const { files, checkouts, trash, sandboxes } = machine;
  return new Loop(async (signal) => {
    try {
      const oldest = retentionDays === undefined ? undefined : Date.now() - retentionDays * dayMs;
      const removed = oldest === undefined ? 0 : await deps.remover.unchangedSince(oldest);
      if (oldest !== undefined) await deps.remover.spendingBefore(oldest);
      const transcripts = await pruneFolder(files.transcriptsDir, transcriptAgeMs);
      await pruneIncoming(files, runs);
      const memories = await pruneMemories({
        folder: files.conversationsDir,
        conversations,
        environments,
      });
      await runs.deleteLostAttachments(Date.now() - lostAfterMs);
      await artifacts.deleteBefore(Date.now() - transcriptAgeMs);
      const mirrors = await checkouts.prune();
      const spares = await pruneFolder(files.sparesDir, maxUnusedMs, {
        remove: (folder) =>
          trash.discard(folder, { runId: 'spare', environment: sandboxes.fallback }),
      });
      await trash.empty(async (runId) => {
        const run = await runs.get(runId);
        return findEnvironment(environments(), run?.environment_id ?? '');
      });
      // Delete files that a crash left on this machine before they were uploaded to a bucket.
      const local = await pruneFolder(files.artifactsDir, transcriptAgeMs);
      // Prune the bucket last. If it's unavailable, the steps above are already done.
      const contents = local + ((await deps.contents.prune?.(transcriptAgeMs, signal)) ?? 0);
      if (removed + transcripts + memories + contents + spares + mirrors > 0)
        logger.info(
          { runs: removed, transcripts, memories, contents, spares, mirrors },
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

/** Deletes partly received files of remote runs that have ended or no longer exist. */
async function pruneIncoming(files: RunFiles, runs: Runs): Promise<void> {
  for (const id of await readdir(files.transcriptsDir).catch(() => [])) {
    const folder = files.incomingDir(id);
    if (!existsSync(folder)) continue;
    const run = await runs.get(id);
    if (run === undefined || run.ended_at !== null) await pruneFolder(folder, 0);
  }
}
