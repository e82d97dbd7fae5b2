import { resolve } from 'node:path';
import { type DatabaseLock, lockDatabase } from 'base/database/sqlite/database-lock';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { createChangeFeed } from './api/change-feed.ts';
import { listen } from './api/listen.ts';
import { createRunRemover } from './artifacts/remove-runs.ts';
import type { ServiceEnvironment } from './environments/environments.ts';
import { createWarnings } from './execution/environment-problems.ts';
import { defaultPath } from './execution/files/run-files.ts';
import { prepareMachine } from './execution/prepare-machine.ts';
import { createSpendQuestionWatch } from './gateway/spend-question-watch.ts';
import { createHousekeeping } from './housekeeping.ts';
import { claimDataDir, type Instance } from './queue/claim-data-dir.ts';
import { recoverAfterCrash } from './queue/recover-after-crash.ts';
import { createModelRoutes } from './remote/dispatch/model-routes.ts';
import { createTrash } from './sandbox/deletion/trash.ts';
import { createSandboxes } from './sandbox/sandboxes.ts';
import { createServiceApp } from './service-app.ts';
import { createServiceCore } from './service-core.ts';
import { isBehindProxy, type RunsServiceOptions, transcriptAgeMsOf } from './service-options.ts';
import { createRunFeed } from './store/run-changes.ts';

export type RunsService = {
  start(): Promise<void>;
  /** Ends active runs, with a note that the service stopped. Takes up to `killGraceMs` plus a few seconds. */
  stop(): Promise<void>;
  /** Returns the number of runs that this process executes now. */
  activeRuns(): number;
  readonly url: string;
  /** Base URL of the API, which ends in `/api/v1`. */
  readonly apiUrl: string;
};

/** Creates the runs service, which is the server side of the Cloud Agent Runs API. */
export function createRunsService(options: RunsServiceOptions): RunsService {
  let running: Running | undefined;
  const url = () => {
    if (!running) throw new Error('The runs service has no URL before it starts.');
    return running.url;
  };
  return {
    async start() {
      running ??= await claimAndStart(options);
    },
    async stop() {
      const ending = running;
      running = undefined;
      await ending?.stop();
    },
    activeRuns: () => running?.activeRuns() ?? 0,
    get url() {
      return url();
    },
    get apiUrl() {
      return `${url()}/api/v1`;
    },
  };
}

/**
 * Max wait for environment checks when the service starts, in ms. The limit is short, because checking a container can
 * take minutes.
 */
const warningWaitMs = 2_000;

type Running = { url: string; activeRuns(): number; stop(): Promise<void> };

async function claimAndStart(given: RunsServiceOptions): Promise<Running> {
  // Make the path absolute, because commands run in other folders.
  const options = { ...given, dataDir: resolve(given.dataDir) };
  const instance = claimDataDir(options.dataDir);
  let lock: DatabaseLock | undefined;
  const release = () => {
    lock?.release();
    instance.release();
  };
  try {
    lock = await lockDatabase(options.db, 'runs service');
    return await start(options, { ...instance, release });
  } catch (error) {
    release();
    throw error;
  }
}

async function start(options: RunsServiceOptions, instance: Instance): Promise<Running> {
  const { db, dataDir, logger, path = defaultPath } = options;
  const { allowRoot, userId } = options;
  const stopping = new AbortController();
  const sandboxes = createSandboxes({
    dataDir,
    path,
    allowRoot,
    userId,
    logger,
    stopping: stopping.signal,
  });
  const trash = createTrash({ dataDir, path, sandboxes, logger });
  const machine = prepareMachine({ dataDir, path, sandboxes, trash, logger });
  let url = '';
  const serviceUrl = () => options.serviceUrl ?? options.publicUrl ?? url;
  const core = createServiceCore(options, instance, machine, serviceUrl);
  const { stores, environments, runQueue } = core;
  const { crashedOwner } = instance;
  await recoverAfterCrash({ stores, machine, runQueue, environments, crashedOwner, logger });

  const runnerProblem = (environment: ServiceEnvironment) =>
    core.runnerProblem(environment, stopping.signal);
  const warnings = createWarnings(environments, { sandboxes, path, runnerProblem }, logger);
  await withSoftTimeout(warnings.settled(), warningWaitMs);
  options.environments.subscribe(() => {
    warnings.repeat();
    runQueue.wake();
  });

  const feed = createChangeFeed(createRunFeed(db), logger);
  const app = createServiceApp(options, core, feed, { url: () => url, stopping: stopping.signal });
  const answerModelCall = createModelRoutes({
    dispatches: stores.dispatches,
    runs: stores.runs,
    environments,
    gateway: core.gateway,
    isBehindProxy: isBehindProxy(options),
    stopping: stopping.signal,
    logger,
  });
  const listening = await listen(app, options.host, options.port, {
    answerDirectly: answerModelCall,
  });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  url = `http://${host}:${listening.port}`;
  const { artifacts, contents } = core;
  const housekeeping = createHousekeeping({
    store: { runs: stores.runs, conversations: stores.conversations, artifacts },
    machine: { files: machine.files, checkouts: machine.checkouts, trash, sandboxes },
    contents,
    remover: createRunRemover(db, machine.files, contents),
    environments,
    transcriptAgeMs: transcriptAgeMsOf(options),
    retentionDays: options.retentionDays,
    logger,
  });
  const spendWatch = createSpendQuestionWatch({
    questions: stores.spendQuestions,
    statesOf: stores.modelCalls.statesOf,
    logger,
  });
  feed.start();
  spendWatch.start();
  core.gateway.start(crashedOwner);
  core.dispatchPoller.start();
  await core.publisher.start();
  runQueue.start();
  core.scheduleWorker.start();
  housekeeping.start();
  return {
    url,
    activeRuns: () => runQueue.activeRuns,
    async stop() {
      stopping.abort();
      await listening.close();
      await feed.stop();
      await warnings.settled();
      await core.scheduleWorker.stop();
      await runQueue.stop();
      await core.gateway.stop();
      await core.usages.stop();
      await core.dispatchPoller.stop();
      await machine.folderPool.stop();
      await core.publisher.stop();
      await housekeeping.stop();
      await spendWatch.stop();
      await trash.stop();
      instance.release();
    },
  };
}
