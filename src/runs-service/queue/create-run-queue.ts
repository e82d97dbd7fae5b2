import { availableParallelism } from 'node:os';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceRunFollowups } from '../../store/service/service-run-followups.ts';
import type { ServiceRunLeases } from '../../store/service/service-run-leases.ts';
import type { ServiceRunQueue } from '../../store/service/service-run-queue.ts';
import type { ServiceRuns, ServiceRunUpdate } from '../../store/service/service-runs.ts';
import type { EnvironmentSource } from '../environments/environments.ts';
import { createCheckouts } from '../execution/git/checkout.ts';
import { killRunProcesses } from '../execution/processes/run-processes.ts';
import { createRunExecutor } from '../execution/run-executor.ts';
import { defaultPath, type RunFiles } from '../execution/run-files.ts';
import { createSetUpCache } from '../execution/set-up/set-up-cache.ts';
import { createSkills } from '../execution/skills.ts';
import { usageText } from '../harnesses/steps/agent-step.ts';
import { persist } from './persist.ts';
import { RunQueue } from './run-queue.ts';

/** The limits within which runs are executed; each has a default. */
export type ExecutionLimits = {
  /** Where git and agents are looked for. */
  path?: string | undefined;
  runTimeoutMs?: number | undefined;
  outputLimitBytes?: number | undefined;
  patchLimitBytes?: number | undefined;
  /** Runs at the same time in this process; as many as there are cores unless given. */
  concurrency?: number | undefined;
  /** What a command gets between SIGTERM and SIGKILL. */
  killGraceMs?: number | undefined;
};

export type ExecutionOptions = ExecutionLimits & {
  runs: ServiceRuns;
  queueStore: ServiceRunQueue;
  leases: ServiceRunLeases;
  followups: ServiceRunFollowups;
  files: RunFiles;
  /** This process's name in the store. */
  owner: string;
  crashedOwner?: string | undefined;
  /** Whether other services may take runs from the same store. */
  shared: boolean;
  environments: EnvironmentSource;
  logger: Logger;
};

/** Services that share a database get a changed environments file one after the other. */
const sharedStrandedAfterMs = 60_000;

/** What executes runs: the queue, and the parts that it works with. */
export function createExecution(options: ExecutionOptions) {
  const { runs, queueStore, files, followups, owner } = options;
  const path = options.path ?? defaultPath;
  const environments = () => options.environments.current();
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path });
  const skills = createSkills({ checkouts, logger: options.logger });
  /** What is only told must not end a run that goes well, when the database is full or away for a moment. */
  const tell = async (runId: string, update: ServiceRunUpdate) => {
    try {
      await runs.change(runId, ['INPROGRESS'], update, owner);
    } catch (error) {
      options.logger.warn({ err: error, runId }, 'what a run did could not be noted');
    }
  };
  const execute = createRunExecutor({
    runs,
    environments,
    checkouts,
    skills,
    setUps: createSetUpCache({ folder: files.setUpsDir, path }),
    files,
    takeFollowup: (runId, signal) =>
      persist(() => followups.takeOrClose(runId), { signal, logger: options.logger, runId }),
    note: (runId, note) => tell(runId, { note }),
    keepUsage: (runId, usage) =>
      tell(runId, { usage_json: JSON.stringify(usage), note: `Used ${usageText(usage)}` }),
    endLeftovers: async (runId) => {
      await killRunProcesses(new Set([runId]));
    },
    path,
    runTimeoutMs: options.runTimeoutMs ?? 30 * 60_000,
    outputLimitBytes: options.outputLimitBytes ?? 2 * 1024 * 1024,
    patchLimitBytes: options.patchLimitBytes ?? 50 * 1024 * 1024,
    killGraceMs: options.killGraceMs ?? 5_000,
    logger: options.logger,
  });
  const runQueue = new RunQueue({
    runs,
    queue: queueStore,
    execute,
    leases: options.leases,
    owner,
    crashedOwner: options.crashedOwner,
    concurrency: options.concurrency ?? availableParallelism(),
    environments,
    strandedAfterMs: options.shared ? sharedStrandedAfterMs : 0,
    logger: options.logger,
  });
  return { runQueue, skills };
}
