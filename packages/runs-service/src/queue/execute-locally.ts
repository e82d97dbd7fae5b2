import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { createMemories } from '../execution/memory/conversation-memory.ts';
import { readEarlierRuns } from '../execution/memory/conversation-text.ts';
import type { OpenModelAccess } from '../execution/model-access.ts';
import type { PreparedMachine } from '../execution/prepare-machine.ts';
import type { StepLimits } from '../execution/run-context.ts';
import {
  createRunExecutor,
  type ExecuteRun,
  type PublishResult,
  type SaveArtifacts,
} from '../execution/run-executor.ts';
import type { RunUsages } from '../gateway/run-usage.ts';
import type { RunUpdate } from '../store/run-changes.ts';
import { activeStates } from '../store/runs.ts';
import type { Stores } from '../store/stores.ts';
import { persist, retryUntilDatabaseResponds } from './persist.ts';
import { createQuestions, withDatabaseRetry } from './questions.ts';

/**
 * Creates the function that executes runs on this machine, with this service's store. While the database is down, runs
 * wait for what they need. `createExecutor` in remote/run-one/execute-work.ts does the same on another machine.
 */
export function createExecuteLocally({
  stores,
  owner,
  machine,
  environments,
  limits,
  publish,
  saveArtifacts,
  openModels,
  usages,
  logger,
}: {
  stores: Stores;
  owner: string;
  machine: PreparedMachine;
  environments: () => readonly ServiceEnvironment[];
  limits: StepLimits;
  publish: PublishResult;
  saveArtifacts: SaveArtifacts;
  openModels: OpenModelAccess;
  usages: Pick<RunUsages, 'soFar' | 'whole'>;
  logger: Logger;
}): ExecuteRun {
  const { runs, conversations, followups, progress, questions } = stores;
  const read = <T>(signal: AbortSignal, work: () => Promise<T>) =>
    retryUntilDatabaseResponds(work, { signal, logger });
  /**
   * Saves information for people. A failure is only logged, so that a database that is full or down doesn't fail the
   * run.
   */
  async function tryToSave(runId: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      logger.warn({ err: error, runId }, 'cannot save the progress of a run');
    }
  }
  const inform = (runId: string, read: () => Promise<RunUpdate>) =>
    tryToSave(runId, async () => runs.change(runId, activeStates, await read(), owner));

  return createRunExecutor({
    store: {
      latestOfConversation: (run, signal) => read(signal, () => runs.latestOfConversation(run)),
      attachmentsOf: (runId, signal) => read(signal, () => runs.attachmentsOf(runId)),
      takeFollowup: (runId, after, signal) =>
        persist(() => followups.takeOrClose(runId, after, owner), { signal, logger, runId }),
      questions: withDatabaseRetry(createQuestions(questions, owner), logger),
      note: (runId, note) => inform(runId, async () => ({ note })),
      saveUsage: (runId, usage) => inform(runId, () => usages.whole(runId, usage)),
      saveProgress: (runId, now) =>
        tryToSave(runId, () => progress.save(runId, owner, JSON.stringify(now))),
      announceProgress: (runId, usage) => inform(runId, () => usages.soFar(runId, usage)),
    },
    machine: {
      sandboxes: machine.sandboxes,
      trash: machine.trash,
      checkouts: machine.checkouts,
      setups: machine.setups,
      files: machine.files,
      stableDir: machine.files.worksDir,
      path: machine.path,
      openMemory: createMemories({
        folder: machine.files.conversationsDir,
        conversations: {
          get: (id, signal) => read(signal, () => conversations.get(id)),
          save: (conversation, signal) => read(signal, () => conversations.save(conversation)),
        },
        earlierRuns: (run, signal) => read(signal, () => readEarlierRuns({ runs, followups }, run)),
      }),
    },
    skills: machine.skills,
    limits,
    environments,
    publish,
    saveArtifacts,
    openModels,
    logger,
  });
}
