import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceRunLeases } from '../../store/service/service-run-leases.ts';
import { killRunProcesses } from '../execution/processes/run-processes.ts';
import type { RunFiles } from '../execution/run-files.ts';
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
  /** Removes the container of a run, if it had one. Returns why that failed. */
  removeContainer: (runId: string) => Promise<string | undefined>;
  logger: Logger;
}): Promise<void> {
  const { runQueue, leases, files, crashedOwner, logger } = request;
  await mkdir(files.worksDir, { recursive: true, mode: 0o700 });
  const runIds = await readdir(files.worksDir);
  const processes = await killRunProcesses(new Set(runIds));
  for (const runId of runIds) {
    const reason = await request.removeContainer(runId);
    if (reason !== undefined) logger.warn({ runId, reason }, 'cannot remove a container');
  }
  for (const folder of [files.worksDir, files.observersDir]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  // Agents with their own user pass through this folder to theirs, but can't list it.
  await chmod(files.worksDir, 0o711);
  if (crashedOwner !== undefined) await leases.expire(crashedOwner);
  await runQueue.settleLost({ restart: false });
  if (runIds.length > 0)
    logger.warn({ folders: runIds.length, processes }, 'recovered after a crash');
}
