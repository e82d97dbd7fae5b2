import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/files/run-files.ts';
import { isUnfinishedSpare } from '../execution/spares.ts';
import { runIdIn, type Trash } from '../sandbox/deletion/trash.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { Dispatches } from '../store/dispatches.ts';
import type { QueueStore } from '../store/queued-runs.ts';
import type { RunLeases } from '../store/run-leases.ts';
import type { Runs } from '../store/runs.ts';
import type { RunQueue } from './run-queue.ts';

/**
 * Cleans up what a crashed process left in the data folder: agents, containers, work folders, and runs that are active
 * only in the store. Has to end before the queue starts, which restarts the runs that may start over.
 */
export async function recoverAfterCrash(request: {
  runQueue: RunQueue;
  leases: RunLeases;
  files: RunFiles;
  crashedOwner: string | undefined;
  sandboxes: Sandboxes;
  trash: Trash;
  runs: Pick<Runs, 'get'>;
  queueStore: Pick<QueueStore, 'going'>;
  dispatches: Pick<Dispatches, 'of'>;
  environments: () => readonly ServiceEnvironment[];
  logger: Logger;
}): Promise<void> {
  const { runQueue, leases, files, crashedOwner, sandboxes, trash, logger } = request;
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
    await sandboxes.endLeftovers(id, await environmentOf(id));
  const folders = await readdir(files.worksDir);
  for (const name of folders) {
    const runId = runIdIn(name);
    const environment = await environmentOf(runId);
    await sandboxes.endLeftovers(runId, environment);
    const owner = { runId, environment: environment ?? sandboxes.fallback };
    await trash.discard(join(files.worksDir, name), owner);
  }
  await mkdir(files.sparesDir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(files.sparesDir))
    if (isUnfinishedSpare(name)) {
      const folder = join(files.sparesDir, name);
      await trash.discard(folder, { runId: 'spare', environment: sandboxes.fallback });
    }
  await trash.empty(environmentOf);
  if (crashedOwner !== undefined) await leases.expire(crashedOwner);
  await runQueue.settleLost({ restart: false });
  if (folders.length > 0) logger.warn({ folders: folders.length }, 'recovered after a crash');
}
