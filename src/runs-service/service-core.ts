import type { Logger } from '../lib/logger.ts';
import { isPostgres } from '../store/database/clock.ts';
import type { Db } from '../store/schema.ts';
import { createServicePublications } from '../store/service/service-publications.ts';
import { createServiceStores } from '../store/service/service-stores.ts';
import { createProgressReader } from './api/progress-reader.ts';
import type { EnvironmentSource } from './environments/environments.ts';
import { createCheckouts } from './execution/git/checkout.ts';
import { defaultPath, runFiles } from './execution/run-files.ts';
import { createSpares } from './execution/spares.ts';
import type { Walls } from './isolation/walls.ts';
import { createPublishing } from './publishing/create-publishing.ts';
import { createRunQueue, type ExecutionLimits } from './queue/create-run-queue.ts';
import type { Instance } from './queue/instance.ts';
import { serviceRunStates } from './queue/run-state.ts';

export type ServiceCoreOptions = ExecutionLimits & {
  db: Db;
  dataDir: string;
  environments: EnvironmentSource;
  logger: Logger;
};

/** What the service does without anyone asking over HTTP: it stores, executes and publishes runs. */
export function createServiceCore(
  options: ServiceCoreOptions,
  { owner, crashedOwner }: Instance,
  walls: Walls,
) {
  const { db, logger, path = defaultPath } = options;
  const environments = () => options.environments.current();
  const stores = createServiceStores(db);
  const { runs, progress } = stores;
  const publications = createServicePublications(db);
  const files = runFiles(options.dataDir);
  const spares = createSpares({ folder: files.sparesDir, logger });
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path, spares });
  const isShared = isPostgres(db);
  const { publisher, publish } = createPublishing({
    ...{ runs, publications, environments, files, isShared, path, logger },
    objectsDir: checkouts.objectsDir,
    answerOf: async (runId) => (await createProgressReader(progress).of(runId))?.answer ?? '',
    note: async (runId, note) => {
      await runs.change(runId, serviceRunStates, { note });
    },
  });
  const { runQueue, skills } = createRunQueue({
    ...options,
    ...{ walls, checkouts, spares, publish, isShared },
    ...stores,
    ...{ files, owner, crashedOwner },
  });
  return {
    ...stores,
    ...{ publications, files, environments, isShared },
    ...{ publisher, runQueue, skills, spares },
  };
}
