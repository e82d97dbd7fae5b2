import { resolve } from 'node:path';
import { type DatabaseLock, lockDatabase } from 'base/database/sqlite/database-lock';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { createChangeFeed } from './api/feed/change-feed.ts';
import { listen } from './api/listen.ts';
import type { ServiceEnvironment } from './environments/environments.ts';
import { createWarnings } from './execution/environment-problems.ts';
import { defaultPath } from './execution/files/run-files.ts';
import { createHousekeeping } from './housekeeping.ts';
import { claimDataDir, type Instance } from './queue/claim-data-dir.ts';
import { recoverAfterCrash } from './queue/recover-after-crash.ts';
import { createTrash } from './sandbox/deletion/trash.ts';
import { createSandboxes } from './sandbox/sandboxes.ts';
import { createServiceApp, type ServiceAppOptions } from './service-app.ts';
import { createServiceCore } from './service-core.ts';
import { createRunFeed } from './store/run-changes.ts';

export type RunsServiceOptions = ServiceAppOptions & {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Where runs that execute elsewhere reach the service; by default `publicUrl`, or the address it listens on. */
  serviceUrl?: string | undefined;
  /** Ended runs that haven't changed for so long are deleted. By default none are. */
  retentionDays?: number | undefined;
  /** After this, outputs and patches are deleted; by default 30. */
  transcriptDays?: number | undefined;
};

export type RunsService = {
  start(): Promise<void>;
  /** Ends active runs with a note about it. Takes up to `killGraceMs` plus a few seconds. */
  stop(): Promise<void>;
  /** Runs that this process executes now. */
  activeRuns(): number;
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
    activeRuns: () => running?.activeRuns() ?? 0,
    get url() {
      return url();
    },
    get apiUrl() {
      return `${url()}/api/v1`;
    },
  };
}

const dayMs = 24 * 60 * 60_000;

const warningWaitMs = 2_000;

type Running = { url: string; activeRuns(): number; stop(): Promise<void> };

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
  const transcriptAgeMs = (options.transcriptDays ?? 30) * dayMs;
  const stopping = new AbortController();
  const sandboxes = createSandboxes({
    dataDir: options.dataDir,
    path,
    allowRoot: options.allowRoot,
    userId: options.userId,
    logger,
    stopping: stopping.signal,
  });
  let url = '';
  const serviceUrl = () => options.serviceUrl ?? options.publicUrl ?? url;
  const trash = createTrash({ dataDir: options.dataDir, path, sandboxes, logger });
  const core = createServiceCore(options, instance, { sandboxes, trash }, { serviceUrl });
  const { publisher, runQueue } = core;
  const parts = { ...core, environments, sandboxes, trash, logger };
  await recoverAfterCrash({ ...parts, crashedOwner });
  const machine = {
    sandboxes,
    path,
    problemElsewhere: (environment: ServiceEnvironment) =>
      core.problemElsewhere(environment, stopping.signal),
  };
  const warnings = createWarnings(environments, machine, logger);
  // Trying a container can take minutes.
  await withSoftTimeout(warnings.settled(), warningWaitMs);
  options.environments.subscribe(() => {
    warnings.repeat();
    runQueue.wake();
  });

  const feed = createChangeFeed(createRunFeed(db), logger);
  const app = createServiceApp(options, {
    core,
    sandboxes,
    feed,
    owner,
    transcriptAgeMs,
    url: () => url,
    stopping: stopping.signal,
  });
  const listening = await listen(app, options.host, options.port);
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  url = `http://${host}:${listening.port}`;
  const housekeeping = createHousekeeping({
    store: { runs: core.runs, conversations: core.conversations, artifacts: core.artifacts },
    machine: { files: core.files, checkouts: core.checkouts, trash, sandboxes },
    contents: core.contents,
    remover: core.remover,
    environments,
    transcriptAgeMs,
    retentionDays: options.retentionDays,
    logger,
  });
  feed.start();
  core.dispatchPoller.start();
  await publisher.start();
  runQueue.start();
  housekeeping.start();
  return {
    url,
    activeRuns: () => runQueue.activeRuns,
    async stop() {
      stopping.abort();
      await listening.close();
      await feed.stop();
      await warnings.settled();
      await runQueue.stop();
      await core.dispatchPoller.stop();
      await core.spares.stop();
      await publisher.stop();
      await housekeeping.stop();
      await trash.stop();
      instance.release();
    },
  };
}
