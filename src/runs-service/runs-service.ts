import { resolve } from 'node:path';
import type { Logger } from '../lib/logger.ts';
import { withSoftTimeout } from '../lib/soft-timeout.ts';
import type { Db } from '../store/schema.ts';
import { createServiceKeys } from '../store/service/service-keys.ts';
import { listServiceRuns } from '../store/service/service-run-list.ts';
import { type DatabaseLock, lockDatabase } from '../store/sqlite/database-lock.ts';
import { createQuestionDesk } from './api/answer-question.ts';
import { createRunsApp } from './api/app.ts';
import { createAuthenticate } from './api/authentication.ts';
import { createCatalogRoutes } from './api/catalog-routes.ts';
import { createKeyring, type ServiceKey } from './api/keyring.ts';
import { listen } from './api/listen.ts';
import { createOpenapiRoutes } from './api/openapi.ts';
import { createPublishRun } from './api/publish-run.ts';
import { createRunControl } from './api/run-control.ts';
import { createReadResults } from './api/run-results.ts';
import { createRunsRoutes } from './api/runs-routes.ts';
import { createVisibleRuns } from './api/visible-runs.ts';
import type { EnvironmentSource } from './environments/environments.ts';
import { createWarnings } from './execution/environment-problems.ts';
import { createFilePruning } from './execution/file-pruning.ts';
import { defaultPath } from './execution/run-files.ts';
import { createWalls } from './isolation/walls.ts';
import { createAssetRoutes } from './pages/asset-routes.ts';
import { createRunListRoutes } from './pages/run-list/list-routes.ts';
import { createSessionAccess, type SessionLinkOptions } from './pages/session/session-access.ts';
import { createSessionRoutes } from './pages/session/session-routes.ts';
import { createSignIn } from './pages/sign-in/sign-in.ts';
import type { ExecutionLimits } from './queue/create-run-queue.ts';
import { claimDataDir, type Instance } from './queue/instance.ts';
import { recoverAfterCrash } from './queue/recover-after-crash.ts';
import { createServiceCore } from './service-core.ts';

export type RunsServiceOptions = ExecutionLimits &
  SessionLinkOptions & {
    /** Opened and closed by the caller. */
    db: Db;
    /** For work folders, mirrors and transcripts. Each service process needs its own. */
    dataDir: string;
    environments: EnvironmentSource;
    keys: readonly ServiceKey[];
    host: string;
    /** 0 picks a free port. */
    port: number;
    /** The URL of the service for browsers, used in links to sessions; by default the address it listens on. */
    publicUrl?: string | undefined;
    logger: Logger;
    /** Limit per owner of keys; above it, requests get 429. */
    requestsPerMinute?: number | undefined;
  };

export type RunsService = {
  start(): Promise<void>;
  /** Ends active runs with a note about it. Takes up to `killGraceMs` plus a few seconds. */
  stop(): Promise<void>;
  readonly url: string;
  /** Ends in `/api/v1`. */
  readonly apiUrl: string;
};

/** The embedded runs service: the server side of the Cloud Agent Runs API. */
export function createRunsService(options: RunsServiceOptions): RunsService {
  let running: Running | undefined;
  const url = () => {
    if (!running) throw new Error('The runs service has no URL before it starts.');
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

/** After this, outputs and patches are deleted. The runs stay. */
const transcriptAgeMs = 30 * 24 * 60 * 60_000;

const warningWaitMs = 2_000;

type Running = { url: string; stop(): Promise<void> };

async function startParts(given: RunsServiceOptions): Promise<Running> {
  // Commands run in other folders, where a relative path would lead elsewhere.
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
  const { db, logger, path = defaultPath } = options;
  const { owner, crashedOwner } = instance;
  const environments = () => options.environments.current();
  const stopping = new AbortController();
  const walls = createWalls({ dataDir: options.dataDir, path, logger, stopping: stopping.signal });
  const core = createServiceCore(options, instance, walls);
  const { runs, progress, publications, publisher, files, runQueue } = core;
  const parts = { ...core, environments, walls, logger };
  await recoverAfterCrash({ ...parts, crashedOwner });
  const warnings = createWarnings(environments, { walls, path, logger });
  // Trying a container can take minutes.
  await withSoftTimeout(warnings.settled(), warningWaitMs);
  options.environments.subscribe(() => {
    warnings.repeat();
    runQueue.wake();
  });

  let url = '';
  const publicUrl = () => options.publicUrl ?? url;
  const keyring = createKeyring(options.keys, createServiceKeys(db));
  const isBehindProxy = () => options.publicUrl?.startsWith('https:') ?? false;
  const authenticate = createAuthenticate({ keyring, isBehindProxy });
  const signIn = createSignIn({ ...options, keyring, authenticate, publicUrl });
  const visibleRuns = createVisibleRuns(runs, (query) => listServiceRuns(db, query));
  const app = createRunsApp({
    requestsPerMinute: options.requestsPerMinute,
    authenticate,
    api: [
      createRunsRoutes({
        ...{ runs, visibleRuns, queue: core.queueStore, progress, environments },
        publish: createPublishRun({ publisher, environments, files, isShared: core.isShared }),
        readResults: createReadResults({ publications, environments, files }),
        control: createRunControl({
          runs,
          followups: core.followups,
          desk: createQuestionDesk(core.questions),
          abort: (runId) => runQueue.cancel(runId),
          wake: () => runQueue.wake(),
        }),
        sessionLink: (run) => `${publicUrl()}/session/${run.session_token}`,
      }),
      createCatalogRoutes({ environments: options.environments, walls, path, skills: core.skills }),
    ],
    open: [
      createOpenapiRoutes(() => `${publicUrl()}/api/v1`),
      createAssetRoutes(),
      signIn.routes,
      createRunListRoutes({
        ...{ readerOf: signIn.readerOf, visibleRuns },
        environmentIds: () => environments().map(({ id }) => id),
      }),
      createSessionRoutes({
        ...createSessionAccess({ ...options, ...signIn, runs }),
        ...{ runs, progress, environments, files, owner, transcriptAgeMs },
        followupsOf: core.followups.listOf,
        stopping: stopping.signal,
      }),
    ],
    logger,
  });
  const listening = await listen(app, options.host, options.port);
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  url = `http://${host}:${listening.port}`;
  const pruning = createFilePruning({ ...parts, transcriptAgeMs });
  await publisher.start();
  runQueue.start();
  pruning.start();
  return {
    url,
    async stop() {
      stopping.abort();
      await listening.close();
      await warnings.settled();
      await runQueue.stop();
      await core.spares.stop();
      await publisher.stop();
      await pruning.stop();
      instance.release();
    },
  };
}
