import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { isUnfinishedFolder } from '../execution/folder-pool.ts';
import type { PreparedMachine } from '../execution/prepare-machine.ts';
import { runIdIn } from '../sandbox/deletion/trash.ts';
import type { Stores } from '../store/stores.ts';
import type { RunQueue } from './run-queue.ts';

/**
 * Cleans up after a crashed process. Ends its agents, containers and lost runs, and deletes its work folders. Call it
 * before the queue starts, because the queue restarts the runs that allow it.
 */
export async function recoverAfterCrash({
  stores,
  machine,
  runQueue,
  environments,
  crashedOwner,
  logger,
}: {
  stores: Stores;
  machine: PreparedMachine;
  runQueue: RunQueue;
  environments: () => readonly ServiceEnvironment[];
  crashedOwner: string | undefined;
  logger: Logger;
}): Promise<void> {
  const { runs, queueStore, dispatches, leases } = stores;
  const { files, sandboxes, trash } = machine;
  const environmentOf = async (runId: string) => {
    const run = await runs.get(runId);
    return environments().find(({ id }) => id === run?.environment_id);
  };
  await mkdir(files.worksDir, { recursive: true, mode: 0o700 });
  const crashed =
    crashedOwner === undefined ? [] : await queueStore.listActive({ owner: crashedOwner });
  // Leave out remote runs, because they continue after a crash, even if their process is on this machine.
  const dispatched = await dispatches.of(crashed.map(({ id }) => id));
  const remote = new Set(dispatched.map(({ run_id: id }) => id));
  for (const { id } of crashed.filter((run) => !remote.has(run.id)))
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
    if (isUnfinishedFolder(name)) {
      const folder = join(files.sparesDir, name);
      await trash.discard(folder, { runId: 'spare', environment: sandboxes.fallback });
    }
  await trash.empty(environmentOf);
  if (crashedOwner !== undefined) await leases.expire(crashedOwner);
  await runQueue.settleLost({ restart: false });
  if (folders.length > 0) logger.warn({ folders: folders.length }, 'recovered after a crash');
}
