import { resolve } from 'node:path';
import type { Logger } from '../lib/logger.ts';
import type { Db } from '../store/database.ts';
import { createServiceKeys } from '../store/service-keys.ts';
import { createServiceRunFollowups } from '../store/service-run-followups.ts';
import { listServiceRuns } from '../store/service-run-list.ts';
import { createServiceRunQueue } from '../store/service-run-queue.ts';
import { createServiceRuns } from '../store/service-runs.ts';
import { isInstalled, programOf } from './agent-command.ts';
import { createRunsApp } from './app.ts';
import { createCatalogRoutes } from './catalog-routes.ts';
import { createCheckouts } from './checkout.ts';
import type { ServiceEnvironment } from './environments.ts';
import { claimDataDir, type Instance } from './instance.ts';
import { createKeyring, type ServiceKey } from './keyring.ts';
import { type Listening, listen } from './listen.ts';
import { createOpenapiRoutes } from './openapi.ts';
import { recoverAfterCrash } from './recover-after-crash.ts';
import { createRunControl } from './run-control.ts';
import { createRunExecutor } from './run-executor.ts';
import { defaultPath, runFiles } from './run-files.ts';
import { killRunProcesses } from './run-processes.ts';
import { RunQueue } from './run-queue.ts';
import { createRunsRoutes } from './runs-routes.ts';
import { createSessionRoutes } from './session-page/session-routes.ts';
import { createSkills } from './skills.ts';

export type RunsServiceOptions = {
  /** Opened and closed by the caller. */
  db: Db;
  /** Work folders, mirrors and transcripts live below it; one service process a folder. */
  dataDir: string;
  environments: readonly ServiceEnvironment[];
  keys: readonly ServiceKey[];
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** How people's browsers reach the service, for links to session pages; the listening address unless given. */
  publicUrl?: string | undefined;
  logger: Logger;
  /** Where git and agents are looked for. */
  path?: string | undefined;
  runTimeoutMs?: number | undefined;
  outputLimitBytes?: number | undefined;
  /** Runs at the same time in this process. */
  concurrency?: number | undefined;
  /** For each owner of keys; more are answered 429. */
  requestsPerMinute?: number | undefined;
  /** What a command gets between SIGTERM and SIGKILL. */
  killGraceMs?: number | undefined;
};

export type RunsService = {
  start(): Promise<void>;
  /** Ends the runs that are going, says so on them, and resolves within about `killGraceMs` plus a few seconds. */
  stop(): Promise<void>;
  readonly url: string;
  /** Ends in `/api/v1`. */
  readonly apiUrl: string;
};

/** The embedded other side of the Cloud Agent Runs API. */
export function createRunsService(options: RunsServiceOptions): RunsService {
  let running: Running | undefined;
  const url = () => {
    if (!running) throw new Error('The runs service has no address before it has started.');
    return running.url;
  };
  return {
    async start() {
      running ??= await startParts(options);
    },
    async stop() {
      const ending = running;
      running = undefined;
      await ending?.stop();
    },
    get url() {
      return url();
    },
    get apiUrl() {
      return `${url()}/api/v1`;
    },
  };
}

type Running = { url: string; stop(): Promise<void> };

async function startParts(given: RunsServiceOptions): Promise<Running> {
  // Commands run in other folders, where a relative path would mean another place.
  const options = { ...given, dataDir: resolve(given.dataDir) };
  const instance = claimDataDir(options.dataDir);
  try {
    return await startClaimed(options, instance);
  } catch (error) {
    instance.release();
    throw error;
  }
}

async function startClaimed(options: RunsServiceOptions, instance: Instance): Promise<Running> {
  const { db, logger } = options;
  warnOfMissingPrograms(options);
  const runs = createServiceRuns(db);
  const queueStore = createServiceRunQueue(db);
  const files = runFiles(options.dataDir);
  const { runQueue, followups, skills } = createExecution(options, instance, {
    runs,
    queueStore,
    files,
  });
  await recoverAfterCrash({
    runQueue,
    queueStore,
    files,
    crashedOwner: instance.crashedOwner,
    logger,
  });

  let url = '';
  const stopping = new AbortController();
  const environments = () => options.environments;
  const control = createRunControl({
    runs,
    followups,
    abort: (runId) => runQueue.cancel(runId),
    wake: () => runQueue.wake(),
  });
  const app = createRunsApp({
    requestsPerMinute: options.requestsPerMinute,
    keyring: createKeyring(options.keys, createServiceKeys(db)),
    api: [
      createRunsRoutes({
        runs,
        queue: queueStore,
        listRuns: (query) => listServiceRuns(db, query),
        control,
        environments,
        sessionLink: (run) => `${options.publicUrl ?? url}/session/${run.session_token}`,
      }),
      createCatalogRoutes({ environments, skills }),
    ],
    open: [
      createOpenapiRoutes(() => `${options.publicUrl ?? url}/api/v1`),
      createSessionRoutes({
        runs,
        followupsOf: followups.listOf,
        environments,
        files,
        stopping: stopping.signal,
      }),
    ],
    logger,
  });
  const listening: Listening = await listen(app, options.host, options.port);
  url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${listening.port}`;
  await runQueue.start();
  return {
    url,
    async stop() {
      stopping.abort();
      await listening.close();
      await runQueue.stop();
      instance.release();
    },
  };
}

function warnOfMissingPrograms({ environments, path = defaultPath, logger }: RunsServiceOptions) {
  for (const { id, command } of environments) {
    const program = programOf(command);
    if (!isInstalled(program, path))
      logger.warn({ environmentId: id, program }, 'the agent of an environment is not installed');
  }
}

type Stores = {
  runs: ReturnType<typeof createServiceRuns>;
  queueStore: ReturnType<typeof createServiceRunQueue>;
  files: ReturnType<typeof runFiles>;
};

function createExecution(options: RunsServiceOptions, instance: Instance, stores: Stores) {
  const { runs, queueStore, files } = stores;
  const path = options.path ?? defaultPath;
  const environments = () => options.environments;
  const followups = createServiceRunFollowups(options.db);
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path });
  const skills = createSkills({ checkouts, logger: options.logger });
  const execute = createRunExecutor({
    environments,
    checkouts,
    skills,
    files,
    takeFollowup: followups.takeOrClose,
    note: async (runId, note) => {
      await runs.change(runId, ['INPROGRESS'], { note }, instance.owner);
    },
    endLeftovers: async (runId) => {
      await killRunProcesses(new Set([runId]));
    },
    path,
    runTimeoutMs: options.runTimeoutMs ?? 30 * 60_000,
    outputLimitBytes: options.outputLimitBytes ?? 2 * 1024 * 1024,
    killGraceMs: options.killGraceMs ?? 5_000,
    logger: options.logger,
  });
  const runQueue = new RunQueue({
    runs,
    queue: queueStore,
    execute,
    owner: instance.owner,
    concurrency: options.concurrency ?? 4,
    roomIn: (id) =>
      environments().find((environment) => environment.id === id)?.concurrency ??
      Number.POSITIVE_INFINITY,
    logger: options.logger,
  });
  return { runQueue, followups, skills };
}
