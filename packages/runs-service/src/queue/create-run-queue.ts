import { availableParallelism } from 'node:os';
import type { Logger } from 'base/logger';
import type { EnvironmentSource } from '../environments/environments.ts';
import { defaultPath, type RunFiles } from '../execution/files/run-files.ts';
import { createSkills } from '../execution/files/skills.ts';
import type { Checkouts } from '../execution/git/checkout.ts';
import { createMemories } from '../execution/memory/conversation-memory.ts';
import { readEarlierRuns } from '../execution/memory/conversation-text.ts';
import {
  createRunExecutor,
  type PublishResult,
  type SaveArtifacts,
} from '../execution/run-executor.ts';
import { createSetupCache } from '../execution/setup/setup-cache.ts';
import type { Spares } from '../execution/spares.ts';
import { usageText } from '../harnesses/steps/agent-step.ts';
import type { Trash } from '../sandbox/deletion/trash.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { RunUpdate } from '../store/run-changes.ts';
import { activeStates } from '../store/runs.ts';
import type { Stores } from '../store/stores.ts';
import { persist, whenBack } from './persist.ts';
import { createQuestions, keepAsking } from './questions.ts';
import { type ExecuteElsewhere, type OnRunEnded, RunQueue } from './run-queue.ts';

/** Limits of executing runs, each with a default. */
export type ExecutionLimits = {
  /** Where to look for git and agents. */
  path?: string | undefined;
  outputLimitBytes?: number | undefined;
  patchLimitBytes?: number | undefined;
  /** Active runs of this process; by default the number of cores. */
  concurrency?: number | undefined;
  /** Time between SIGTERM and SIGKILL. */
  killGraceMs?: number | undefined;
  /** A run elsewhere that reports nothing for so long is lost. */
  silentMs?: number | undefined;
};

const mebibyte = 1024 * 1024;

export const executionDefaults = {
  outputLimitBytes: 2 * mebibyte,
  patchLimitBytes: 50 * mebibyte,
  killGraceMs: 5_000,
};

type RunQueueParts = ExecutionLimits &
  Stores & {
    sandboxes: Sandboxes;
    trash: Trash;
    checkouts: Checkouts;
    spares: Spares;
    publish: PublishResult;
    saveArtifacts: SaveArtifacts;
    files: RunFiles;
    executeElsewhere: ExecuteElsewhere;
    owner: string;
    crashedOwner?: string | undefined;
    /** Whether other services take runs from the same store. */
    isShared: boolean;
    environments: EnvironmentSource;
    onRunEnded?: OnRunEnded | undefined;
    logger: Logger;
  };

/** Services with one database don't learn of a changed environments file at the same time. */
const sharedStrandedAfterMs = 60_000;

/** Makes the queue with everything that executes its runs. */
export function createRunQueue(options: RunQueueParts) {
  const { runs, queueStore, conversations, followups, files } = options;
  const { owner, sandboxes, trash, checkouts, spares, logger } = options;
  const path = options.path ?? defaultPath;
  const environments = () => options.environments.current();
  const skills = createSkills({ checkouts, logger });
  /** Only informs people, so a database that is full or away must not fail the run. */
  const attempt = async (runId: string, write: () => Promise<unknown>) => {
    try {
      await write();
    } catch (error) {
      logger.warn({ err: error, runId }, 'cannot save the progress of a run');
    }
  };
  const inform = (runId: string, update: RunUpdate) =>
    attempt(runId, () => runs.change(runId, activeStates, update, owner));
  const execute = createRunExecutor({
    store: {
      attachmentsOf: (runId, signal) =>
        whenBack(() => runs.attachmentsOf(runId), { signal, logger }),
      latestOfConversation: (run, signal) =>
        whenBack(() => runs.latestOfConversation(run), { signal, logger }),
      takeFollowup: (runId, after, signal) =>
        persist(() => followups.takeOrClose(runId, after, owner), { signal, logger, runId }),
      note: (runId, note) => inform(runId, { note }),
      saveUsage: (runId, usage) =>
        inform(runId, { usage_json: JSON.stringify(usage), note: `Used ${usageText(usage)}` }),
      saveProgress: (runId, progress) =>
        attempt(runId, () => options.progress.save(runId, owner, JSON.stringify(progress))),
      announceProgress: (runId, usage) =>
        inform(runId, usage ? { usage_json: JSON.stringify(usage) } : {}),
      questions: keepAsking(createQuestions(options.questions, owner), logger),
    },
    machine: {
      sandboxes,
      trash,
      checkouts,
      setups: createSetupCache({ folder: files.setupsDir, path, sandboxes, trash, spares }),
      openMemory: createMemories({
        folder: files.conversationsDir,
        conversations: {
          get: (id, signal) => whenBack(() => conversations.get(id), { signal, logger }),
          save: (found, signal) => whenBack(() => conversations.save(found), { signal, logger }),
        },
        earlierRuns: (run, signal) =>
          whenBack(() => readEarlierRuns({ runs, followups }, run), { signal, logger }),
      }),
      files,
      stableDir: files.worksDir,
      path,
    },
    skills,
    limits: {
      outputLimitBytes: options.outputLimitBytes ?? executionDefaults.outputLimitBytes,
      patchLimitBytes: options.patchLimitBytes ?? executionDefaults.patchLimitBytes,
      killGraceMs: options.killGraceMs ?? executionDefaults.killGraceMs,
    },
    environments,
    publish: options.publish,
    saveArtifacts: options.saveArtifacts,
    logger,
  });
  const runQueue = new RunQueue({
    ...options,
    queue: queueStore,
    execute,
    environments,
    concurrency: options.concurrency ?? availableParallelism(),
    strandedAfterMs: options.isShared ? sharedStrandedAfterMs : 0,
  });
  return { runQueue, skills };
}
