import { availableParallelism } from 'node:os';
import { isPostgres } from 'base/database/clock';
import type { Logger } from 'base/logger';
import { createKeyring, type Keyring } from './api/keys/keyring.ts';
import type { ProgressReader } from './api/runs/run-results.ts';
import { createProgressReader } from './api/runs/run-results.ts';
import { createScheduleWorker } from './api/schedules/schedule-worker.ts';
import { defaultArtifactLimits } from './artifacts/left-files.ts';
import { createReadContent, openContents } from './artifacts/open-contents.ts';
import { createSaveArtifacts } from './artifacts/save-artifacts.ts';
import type { ServiceEnvironment } from './environments/environments.ts';
import type { OpenModelAccess } from './execution/model-access.ts';
import type { PreparedMachine } from './execution/prepare-machine.ts';
import { createModelGateway, type ModelGateway } from './gateway/create-model-gateway.ts';
import { createEndOfRun } from './gateway/end-of-run.ts';
import { createHold } from './gateway/hold.ts';
import { createOpenModelAccess } from './gateway/open-model-access.ts';
import { createRunUsages } from './gateway/run-usage.ts';
import { createCodeHosts } from './publishing/hosts/create-code-host.ts';
import { createPublishResult } from './publishing/publish-result.ts';
import { createPublisher } from './publishing/publisher.ts';
import type { Instance } from './queue/claim-data-dir.ts';
import { createExecuteLocally } from './queue/execute-locally.ts';
import { persist, retryUntilDatabaseResponds } from './queue/persist.ts';
import { RunQueue } from './queue/run-queue.ts';
import { createRunners } from './remote/create-runners.ts';
import { createDispatchPoller } from './remote/dispatch/dispatch-poller.ts';
import { createExecuteRemotely } from './remote/dispatch/execute-remotely.ts';
import type { RunsServiceOptions } from './service-options.ts';
import { createArtifactStore } from './store/artifacts.ts';
import { createKeyStore } from './store/key-store.ts';
import { createPublications } from './store/publications.ts';
import { activeStates, allStates } from './store/runs.ts';
import type { Stores } from './store/stores.ts';
import { createStores } from './store/stores.ts';

const mebibyte = 1024 * 1024;
const defaultOutputBytes = 2 * mebibyte;
const defaultPatchBytes = 50 * mebibyte;
const defaultKillGraceMs = 5_000;
/**
 * Time until a queued run of an unknown environment fails, in ms. The time is long, because services that share a
 * database don't reload the environments file at the same time.
 */
const sharedStrandedAfterMs = 60_000;

/** Creates the part of the service that stores, executes and publishes runs. */
export function createServiceCore(
  options: RunsServiceOptions,
  { owner, crashedOwner }: Instance,
  machine: PreparedMachine,
  serviceUrl: () => string,
) {
  const { db, logger } = options;
  const { path } = machine;
  const environments = () => options.environments.current();
  const stores = createStores(db);
  const readProgress = createProgressReader(stores);
  const results = createResults({ options, owner, machine, environments, stores, readProgress });
  const runners = createRunners({ path, kubeconfig: options.kubeconfig, logger });
  const usages = createRunUsages({
    runs: stores.runs,
    calls: stores.modelCalls,
    reported: stores.reportedUsages,
    environments,
    logger,
  });
  const questionMs = options.spendQuestionMs;
  const gateway = createModelGateway({
    calls: stores.modelCalls,
    owner,
    hold: createHold({ questions: stores.spendQuestions, questionMs, logger }),
    onEnded: usages.changed,
    reports: options.modelReports,
    logger,
  });
  const dispatchPoller = createDispatchPoller(stores.dispatches, logger);
  const limits = {
    outputLimitBytes: options.outputLimitBytes ?? defaultOutputBytes,
    patchLimitBytes: options.patchLimitBytes ?? defaultPatchBytes,
    killGraceMs: options.killGraceMs ?? defaultKillGraceMs,
  };
  const runQueue = new RunQueue({
    stores,
    owner,
    crashedOwner,
    environments,
    concurrency: options.concurrency ?? availableParallelism(),
    strandedAfterMs: isPostgres(db) ? sharedStrandedAfterMs : 0,
    executeLocally: createExecuteLocally({
      stores,
      owner,
      machine,
      environments,
      limits,
      publish: results.publish,
      saveArtifacts: results.saveArtifacts,
      usages,
      openModels: openModelsLocally({ gateway, stores, owner, logger }),
      logger,
    }),
    endOf: createEndOfRun({ runs: stores.runs, calls: stores.modelCalls, usages }),
    executeRemotely: createExecuteRemotely({
      stores,
      owner,
      environments,
      runnerFor: runners.runnerFor,
      poller: dispatchPoller,
      serviceUrl,
      silentMs: options.silentMs,
      publish: results.publish,
      logger,
    }),
    onRunEnded: options.onRunEnded,
    logger,
  });
  const keyring = createKeyring(options.keys, createKeyStore(db));
  return {
    stores,
    environments,
    machine,
    owner,
    limits,
    readProgress,
    publications: results.publications,
    publisher: results.publisher,
    artifacts: results.artifacts,
    contents: results.contents,
    readContent: createReadContent(results.contents),
    runQueue,
    keyring,
    scheduleWorker: createScheduling(stores, keyring, environments, runQueue, logger),
    usages,
    gateway,
    dispatchPoller,
    runnerProblem: runners.runnerProblem,
  };
}
export type ServiceCore = ReturnType<typeof createServiceCore>;

const createScheduling = (
  stores: Stores,
  keyring: Keyring,
  environments: () => readonly ServiceEnvironment[],
  runQueue: RunQueue,
  logger: Logger,
) =>
  createScheduleWorker({
    schedules: stores.schedules,
    keyring,
    modelCalls: stores.modelCalls,
    environments,
    onStart: () => runQueue.wake(),
    logger,
  });

/** Creates the function that opens models for runs on this machine. It waits while the database is down. */
function openModelsLocally({
  gateway,
  stores: { runs, modelTokens },
  owner,
  logger,
}: {
  gateway: ModelGateway;
  stores: Stores;
  owner: string;
  logger: Logger;
}): OpenModelAccess {
  const retry = <T>(work: () => Promise<T>, signal: AbortSignal) =>
    retryUntilDatabaseResponds(work, { signal, logger });
  return createOpenModelAccess({
    gateway,
    readRun: (runId, signal) => retry(() => runs.get(runId), signal),
    setToken: (runId, hash, signal) =>
      retry(() => modelTokens.setModelToken(runId, owner, hash), signal),
    note: (runId, note) =>
      void runs.change(runId, activeStates, { note }, owner).catch((error: unknown) => {
        logger.warn({ err: error, runId }, 'cannot save a note of a run');
      }),
  });
}

/** Creates the stores and workers for the results of runs: files and pull requests. */
function createResults({
  options,
  owner,
  machine,
  environments,
  stores: { runs },
  readProgress,
}: {
  options: RunsServiceOptions;
  owner: string;
  machine: PreparedMachine;
  environments: () => readonly ServiceEnvironment[];
  stores: Stores;
  readProgress: ProgressReader;
}) {
  const { db, logger } = options;
  const { files, path } = machine;
  const publications = createPublications(db);
  const artifacts = createArtifactStore(db);
  const contents = openContents(options.artifactsBucket, files);
  const publisher = createPublisher({
    runs,
    publications,
    environments,
    machine: {
      files,
      path,
      objectsDir: machine.checkouts.objectsDir,
      isShared: isPostgres(db),
    },
    answerOf: readProgress.answerOf,
    codeHosts: createCodeHosts(),
    logger,
  });
  const publish = createPublishResult({
    runs,
    publications,
    publisher,
    owner,
    note: async (runId, note) => {
      await runs.change(runId, allStates, { note });
    },
    logger,
  });
  const saveArtifacts = createSaveArtifacts({
    store: contents,
    files,
    path,
    limits: options.artifactLimits ?? defaultArtifactLimits,
    replace: (runId, found, signal) =>
      persist(() => artifacts.replace(runId, owner, found), { signal, logger, runId }),
    logger,
  });
  return { publications, artifacts, contents, publisher, publish, saveArtifacts };
}
