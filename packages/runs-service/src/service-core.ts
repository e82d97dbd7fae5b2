import { isPostgres } from 'base/database/clock';
import type { Logger } from 'base/logger';
import { createProgressReader } from './api/runs/progress-reader.ts';
import { type ArtifactLimits, defaultArtifactLimits } from './artifacts/artifact-limits.ts';
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
import type { ServiceUser } from './sandbox/root.ts';
import type { Walls } from './sandbox/walls.ts';
import { createServiceRunRemoval } from './store/runs/service-run-removal.ts';
import { allStates } from './store/runs/service-runs.ts';
import type { Db } from './store/schema.ts';
import { createServiceArtifacts } from './store/service-artifacts.ts';
import { createServicePublications } from './store/service-publications.ts';
import { createServiceStores } from './store/service-stores.ts';

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
  { walls, trash }: { walls: Walls; trash: Trash },
  place: { serviceUrl: () => string },
) {
  const { db, logger, kubeconfig, path = defaultPath } = options;
  const environments = () => options.environments.current();
  const stores = createServiceStores(db);
  const readProgress = createProgressReader(stores);
  const publications = createServicePublications(db);
  const files = runFiles(options.dataDir);
  const spares = createSpares({ folder: files.sparesDir, logger });
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path, spares });
  const isShared = isPostgres(db);
  const publishing = {
    runs: stores.runs,
    publications,
    environments,
    files,
    isShared,
    path,
    logger,
    objectsDir: checkouts.objectsDir,
    answerOf: readProgress.answerOf,
    codeHosts: createCodeHosts(),
  };
  const publisher = createPublisher(publishing);
  const publish = createPublishResult({
    ...publishing,
    publisher,
    owner,
    note: async (runId, note) => {
      await stores.runs.change(runId, allStates, { note });
    },
  });
  const artifacts = createServiceArtifacts(db);
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
    walls,
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
    remover: createRunRemover({ removal: createServiceRunRemoval(db), files, contents }),
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
