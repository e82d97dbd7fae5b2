import { resolve } from 'node:path';
import type { Logger } from '../lib/logger.ts';
import { isPostgres } from '../store/clock.ts';
import type { Db } from '../store/schema.ts';
import { createServiceKeys } from '../store/service/service-keys.ts';
import { createServiceRunFollowups } from '../store/service/service-run-followups.ts';
import { createServiceRunLeases } from '../store/service/service-run-leases.ts';
import { listServiceRuns } from '../store/service/service-run-list.ts';
import { createServiceRunQueue } from '../store/service/service-run-queue.ts';
import { createServiceRuns } from '../store/service/service-runs.ts';
import { type DatabaseLock, lockDatabase } from '../store/sqlite/database-lock.ts';
import { createRunsApp } from './api/app.ts';
import { createCatalogRoutes } from './api/catalog-routes.ts';
import { createKeyring, type ServiceKey } from './api/keyring.ts';
import { type Listening, listen } from './api/listen.ts';
import { createOpenapiRoutes } from './api/openapi.ts';
import { createRunControl } from './api/run-control.ts';
import { createRunsRoutes } from './api/runs-routes.ts';
import type { EnvironmentSource } from './environments/environments.ts';
import { warnOfProblems } from './execution/environment-problems.ts';
import { removeContainer } from './execution/processes/container.ts';
import { defaultPath, runFiles } from './execution/run-files.ts';
import { createTranscriptPruning } from './execution/transcript-pruning.ts';
import { createRunListRoutes } from './pages/run-list/list-routes.ts';
import { createSessionRoutes } from './pages/session/session-routes.ts';
import { createExecution, type ExecutionLimits } from './queue/create-run-queue.ts';
import { claimDataDir, type Instance } from './queue/instance.ts';
import { recoverAfterCrash } from './queue/recover-after-crash.ts';

export type RunsServiceOptions = ExecutionLimits & {
  /** Opened and closed by the caller. */
  db: Db;
  /** Work folders, mirrors and transcripts live below it; one service process a folder. */
  dataDir: string;
  environments: EnvironmentSource;
  keys: readonly ServiceKey[];
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** How people's browsers reach the service, for links to session pages; the listening address unless given. */
  publicUrl?: string | undefined;
  logger: Logger;
  /** Outputs and patches older than this are removed; 30 days unless given. The runs stay. */
  transcriptDays?: number | undefined;
  /** For each owner of keys; more are answered 429. */
  requestsPerMinute?: number | undefined;
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
  let lock: DatabaseLock | undefined;
  const release = () => {
    lock?.release();
    instance.release();
  };
  try {
    lock = await lockDatabase(options.db, 'runs service');
    return await startClaimed(options, { ...instance, release });
  } catch (error) {
    release();
    throw error;
  }
}

async function startClaimed(options: RunsServiceOptions, instance: Instance): Promise<Running> {
  const { db, logger } = options;
  const { path = defaultPath } = options;
  const environments = () => options.environments.current();
  const warn = () => warnOfProblems(environments(), path, logger);
  warn();
  const runs = createServiceRuns(db);
  const queueStore = createServiceRunQueue(db);
  const files = runFiles(options.dataDir);
  const followups = createServiceRunFollowups(db);
  const leases = createServiceRunLeases(db);
  const { owner, crashedOwner } = instance;
  const parts = { runs, queueStore, leases, followups, files, owner, crashedOwner };
  const { runQueue, skills } = createExecution({ ...options, ...parts, shared: isPostgres(db) });
  await recoverAfterCrash({
    ...{ runQueue, leases, files, crashedOwner, logger },
    removeContainer: async (runId) => {
      const run = await runs.get(runId);
      const environment = environments().find(({ id }) => id === run?.environment_id);
      return (
        environment && removeContainer(environment, runId, { ...environment.variables, PATH: path })
      );
    },
  });

  let url = '';
  const stopping = new AbortController();
  options.environments.subscribe(() => {
    warn();
    runQueue.wake();
  });
  const control = createRunControl({
    runs,
    followups,
    abort: (runId) => runQueue.cancel(runId),
    wake: () => runQueue.wake(),
  });
  const keptMs = (options.transcriptDays ?? 30) * 24 * 60 * 60_000;
  const keyring = createKeyring(options.keys, createServiceKeys(db));
  const app = createRunsApp({
    requestsPerMinute: options.requestsPerMinute,
    keyring,
    api: [
      createRunsRoutes({
        runs,
        queue: queueStore,
        listRuns: (query) => listServiceRuns(db, query),
        control,
        environments,
        sessionLink: (run) => `${options.publicUrl ?? url}/session/${run.session_token}`,
      }),
      createCatalogRoutes({ environments: options.environments, path, skills }),
    ],
    open: [
      createRunListRoutes({
        keyring,
        listRuns: (query) => listServiceRuns(db, query),
        environmentIds: () => environments().map(({ id }) => id),
        publicUrl: () => options.publicUrl ?? url,
      }),
      createOpenapiRoutes(() => `${options.publicUrl ?? url}/api/v1`),
      createSessionRoutes({
        runs,
        followupsOf: followups.listOf,
        environments,
        files,
        owner: instance.owner,
        keptMs,
        stopping: stopping.signal,
      }),
    ],
    logger,
  });
  const listening: Listening = await listen(app, options.host, options.port);
  url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${listening.port}`;
  const pruning = createTranscriptPruning({
    folder: files.transcriptsDir,
    maxAgeMs: keptMs,
    logger,
  });
  await runQueue.start();
  pruning.start();
  return {
    url,
    async stop() {
      stopping.abort();
      await listening.close();
      await runQueue.stop();
      await pruning.stop();
      instance.release();
    },
  };
}
