import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/files/run-files.ts';
import { isUnfinishedSpare } from '../execution/spares.ts';
import { runIdIn, type Trash } from '../sandbox/deletion/trash.ts';
import type { Walls } from '../sandbox/walls.ts';
import type { ServiceRunLeases } from '../store/runs/service-run-leases.ts';
import type { ServiceRunQueue } from '../store/runs/service-run-queue.ts';
import type { ServiceRuns } from '../store/runs/service-runs.ts';
import type { ServiceDispatches } from '../store/service-dispatches.ts';
import type { RunQueue } from './run-queue.ts';

/**
 * Cleans up what a crashed process left in the data folder: agents, containers, work folders, and runs that are active
 * only in the store. Has to end before the queue starts, which restarts the runs that may start over.
 */
export async function recoverAfterCrash(request: {
  runQueue: RunQueue;
  leases: ServiceRunLeases;
  files: RunFiles;
  crashedOwner: string | undefined;
  walls: Walls;
  trash: Trash;
  runs: Pick<ServiceRuns, 'get'>;
  queueStore: Pick<ServiceRunQueue, 'going'>;
  dispatches: Pick<ServiceDispatches, 'of'>;
  environments: () => readonly ServiceEnvironment[];
  logger: Logger;
}): Promise<void> {
  const { runQueue, leases, files, crashedOwner, walls, trash, logger } = request;
  const { runs, queueStore } = request;
  const environmentOf = async (runId: string) => {
    const run = await runs.get(runId);
    return request.environments().find(({ id }) => id === run?.environment_id);
  };
  await mkdir(files.worksDir, { recursive: true, mode: 0o700 });
  const crashed = crashedOwner === undefined ? [] : await queueStore.going({ owner: crashedOwner });
  // What executes elsewhere goes on, even if that is a process of this machine.
  const dispatched = await request.dispatches.of(crashed.map(({ id }) => id));
  const elsewhere = new Set(dispatched.map(({ run_id: id }) => id));
  for (const { id } of crashed.filter((run) => !elsewhere.has(run.id)))
    await walls.endLeftovers(id, await environmentOf(id));
  const folders = await readdir(files.worksDir);
  for (const name of folders) {
    const runId = runIdIn(name);
    const environment = await environmentOf(runId);
    await walls.endLeftovers(runId, environment);
    const owner = { runId, environment: environment ?? walls.fallback };
    await trash.discard(join(files.worksDir, name), owner);
  }
  await mkdir(files.sparesDir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(files.sparesDir))
    if (isUnfinishedSpare(name)) {
      const folder = join(files.sparesDir, name);
      await trash.discard(folder, { runId: 'spare', environment: walls.fallback });
    }
  await trash.empty(environmentOf);
  if (crashedOwner !== undefined) await leases.expire(crashedOwner);
  await runQueue.settleLost({ restart: false });
  if (folders.length > 0) logger.warn({ folders: folders.length }, 'recovered after a crash');
}
