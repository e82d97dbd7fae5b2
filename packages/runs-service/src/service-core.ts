import { isPostgres } from 'base/database/clock';
import type { Logger } from 'base/logger';
import { createProgressReader } from './api/runs/progress-reader.ts';
import { type ArtifactLimits, defaultArtifactLimits } from './artifacts/left-files.ts';
import { createReadContent, openContents } from './artifacts/open-contents.ts';
import { createRunRemover } from './artifacts/remove-runs.ts';
import { createSaveArtifacts } from './artifacts/save-artifacts.ts';
import type { ArtifactsBucket } from './config/artifacts-url.ts';
import type { EnvironmentSource } from './environments/environments.ts';
import { defaultPath, runFiles } from './execution/files/run-files.ts';
import { createCheckouts } from './execution/git/checkout.ts';
import { createSpares } from './execution/spares.ts';
import { createCodeHosts } from './publishing/hosts/create-code-host.ts';
import { createPublishResult } from './publishing/publish-result.ts';
import { createPublisher } from './publishing/publisher.ts';
import type { Instance } from './queue/claim-data-dir.ts';
import { createRunQueue, type ExecutionLimits } from './queue/create-run-queue.ts';
import { persist } from './queue/persist.ts';
import type { OnRunEnded } from './queue/run-queue.ts';
import { createDispatchPoller } from './remote/dispatch/dispatch-poller.ts';
import { createExecuteElsewhere } from './remote/dispatch/execute-elsewhere.ts';
import { createEngines } from './remote/engines/create-engines.ts';
import type { Trash } from './sandbox/deletion/trash.ts';
import type { Sandboxes, ServiceUser } from './sandbox/sandboxes.ts';

import { createArtifactStore } from './store/artifacts.ts';
import { createPublications } from './store/publications.ts';
import { allStates } from './store/runs.ts';
import type { Db } from './store/schema.ts';
import { createStores } from './store/stores.ts';

export type ServiceCoreOptions = ExecutionLimits &
  ServiceUser & {
    /** Opened and closed by the caller. */
    db: Db;
    /** For work folders, mirrors and transcripts. Each service process needs its own. */
    dataDir: string;
    environments: EnvironmentSource;
    /** Files with the cluster of environments that have `place: kubernetes`. */
    kubeconfig?: string | undefined;
    artifactLimits?: ArtifactLimits | undefined;
    /** Where files of runs are kept; by default in `dataDir`. */
    artifactsBucket?: ArtifactsBucket | undefined;
    onRunEnded?: OnRunEnded | undefined;
    logger: Logger;
  };

/** What the service does without anyone asking over HTTP: it stores, executes and publishes runs. */
export function createServiceCore(
  options: ServiceCoreOptions,
  { owner, crashedOwner }: Instance,
  { sandboxes, trash }: { sandboxes: Sandboxes; trash: Trash },
  place: { serviceUrl: () => string },
) {
  const { db, logger, kubeconfig, path = defaultPath } = options;
  const environments = () => options.environments.current();
  const stores = createStores(db);
  const readProgress = createProgressReader(stores);
  const publications = createPublications(db);
  const files = runFiles(options.dataDir);
  const spares = createSpares({ folder: files.sparesDir, logger });
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path, spares });
  const isShared = isPostgres(db);
  const publisher = createPublisher({
    runs: stores.runs,
    publications,
    environments,
    answerOf: readProgress.answerOf,
    codeHosts: createCodeHosts(),
    machine: { files, path, objectsDir: checkouts.objectsDir, isShared },
    logger,
  });
  const publish = createPublishResult({
    runs: stores.runs,
    publications,
    publisher,
    note: async (runId, note) => {
      await stores.runs.change(runId, allStates, { note });
    },
    owner,
    logger,
  });
  const artifacts = createArtifactStore(db);
  const contents = openContents(options.artifactsBucket, files);
  const saveArtifacts = createSaveArtifacts({
    store: contents,
    files,
    path,
    logger,
    replace: (runId, found, signal) =>
      persist(() => artifacts.replace(runId, owner, found), { signal, logger, runId }),
    limits: options.artifactLimits ?? defaultArtifactLimits,
  });
  const { engineFor, problemElsewhere } = createEngines({ path, kubeconfig, logger });
  const dispatchPoller = createDispatchPoller(stores.dispatches, logger);
  const executeElsewhere = createExecuteElsewhere({
    ...stores,
    environments,
    engineFor,
    poller: dispatchPoller,
    owner,
    publish,
    logger,
    serviceUrl: place.serviceUrl,
    silentMs: options.silentMs,
  });
  const { runQueue, skills } = createRunQueue({
    ...options,
    ...stores,
    files,
    owner,
    crashedOwner,
    isShared,
    sandboxes,
    trash,
    checkouts,
    spares,
    publish,
    saveArtifacts,
    executeElsewhere,
  });
  return {
    ...stores,
    publications,
    artifacts,
    contents,
    files,
    environments,
    readContent: createReadContent(contents),
    remover: createRunRemover(db, files, contents),
    publisher,
    readProgress,
    runQueue,
    skills,
    checkouts,
    spares,
    dispatchPoller,
    problemElsewhere,
  };
}
export type ServiceCore = ReturnType<typeof createServiceCore>;
