import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceRunLeases } from '../../store/service/service-run-leases.ts';
import { killRunProcesses } from '../execution/processes/run-processes.ts';
import type { RunFiles } from '../execution/run-files.ts';
import type { RunQueue } from './run-queue.ts';

/**
 * What a process that did not end properly left in the data folder: agents that still work, work folders, and runs
 * that the store believes to be going. Runs before anything new starts; what is begun anew begins with the queue.
 */
export async function recoverAfterCrash(request: {
  runQueue: RunQueue;
  leases: ServiceRunLeases;
  files: RunFiles;
  crashedOwner: string | undefined;
  /** Removes the container of a run, if it had one; gives why it could not be done. */
  removeContainer: (runId: string) => Promise<string | undefined>;
  logger: Logger;
}): Promise<void> {
  const { runQueue, leases, files, crashedOwner, logger } = request;
  await mkdir(files.worksDir, { recursive: true, mode: 0o700 });
  const left = await readdir(files.worksDir);
  const killed = await killRunProcesses(new Set(left));
  for (const runId of left) {
    const why = await request.removeContainer(runId);
    if (why !== undefined) logger.warn({ runId, why }, 'a container was left behind');
  }
  for (const folder of [files.worksDir, files.observersDir]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  // Agents that run as a user of their own go through it to their folder; what is in it, they cannot list.
  await chmod(files.worksDir, 0o711);
  if (crashedOwner !== undefined) await leases.expire(crashedOwner);
  await runQueue.settleLost({ begin: false });
  if (left.length > 0)
    logger.warn({ folders: left.length, processes: killed }, 'recovered after a crash');
}
