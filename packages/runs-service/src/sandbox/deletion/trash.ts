import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { SandboxedEnvironment, Sandboxes } from '../sandboxes.ts';
import { removeFolder } from './remove-folder.ts';

type Discarded = { name: string; environment: SandboxedEnvironment };

const atOnce = 4;
/** Max retries at the same time. Retries have a separate queue, because each can take minutes. */
const retriesAtOnce = 1;
/** Max wait for deletions when the service stops, in ms. The rest is deleted after the next start. */
const stopWaitMs = 2_000;

const trashFolder = (dataDir: string) => join(dataDir, 'trash');
/** Returns the folder that contains the folders that couldn't be deleted. Deleting them is retried every few hours. */
export const quarantineFolder = (dataDir: string) => join(dataDir, 'quarantine');

/** Counts the folders that couldn't be deleted. */
export async function countQuarantined(dataDir: string): Promise<number> {
  return (await readdir(quarantineFolder(dataDir)).catch(() => [])).length;
}

const maxSleepMs = 2 ** 31 - 1;
const never = new AbortController().signal;

type Queue = { waiting: Discarded[]; working: Set<Promise<void>>; atOnce: number };
const newQueue = (atOnce: number): Queue => ({ waiting: [], working: new Set(), atOnce });

type MakeFolder = (folder: string, options: { recursive: true; mode: number }) => Promise<unknown>;

type TrashOptions = {
  dataDir: string;
  makeFolder?: MakeFolder;
  path: string;
  sandboxes: Pick<Sandboxes, 'open' | 'fallback'>;
  logger: Logger;
};

/**
 * Creates a trash that deletes agents' folders in the background. A folder is first moved into the trash, which is
 * instant for any content. Then the folder's old path is free.
 */
export function createTrash({
  dataDir,
  path,
  sandboxes,
  logger,
  makeFolder = mkdir,
}: TrashOptions) {
  const [trash, quarantine] = [trashFolder(dataDir), quarantineFolder(dataDir)];
  const stopping = new AbortController();
  const fresh = newQueue(atOnce);
  const retries = newQueue(retriesAtOnce);
  /** Names of folders that are being deleted. */
  const names = new Set<string>();

  async function remove({ name, environment }: Discarded): Promise<void> {
    const folder = join(trash, name);
    // Use no network and no disk limit. A proxy would need space on a disk that can be full.
    const target = { runId: name, folder, isOffline: true, isRemoval: true };
    const sandbox = sandboxes.open(environment, target);
    const { signal } = stopping;
    const problem = await removeFolder(sandbox, folder, { path, signal }).catch(String);
    if (problem === undefined || stopping.signal.aborted) return;
    await mkdir(quarantine, { recursive: true, mode: 0o700 });
    await rename(folder, join(quarantine, name));
    logger.warn({ folder: join(quarantine, name), reason: problem }, 'cannot delete a folder');
  }

  async function work({ waiting }: Queue): Promise<void> {
    for (let next = waiting.shift(); next && !stopping.signal.aborted; next = waiting.shift())
      try {
        await remove(next);
      } catch (error) {
        logger.error({ err: error }, 'cannot move a folder that cannot be deleted');
      } finally {
        names.delete(next.name);
      }
  }

  function add(discarded: Discarded, queue = fresh): void {
    queue.waiting.push(discarded);
    if (queue.working.size >= queue.atOnce) return;
    const worker = work(queue).finally(() => queue.working.delete(worker));
    queue.working.add(worker);
  }

  /** Resolves once each folder is deleted or moved to quarantine, or when the signal aborts. */
  async function settle(signal: AbortSignal = never): Promise<void> {
    const settled = new AbortController();
    const all = Promise.all([...fresh.working, ...retries.working]);
    await Promise.race([all, sleep(maxSleepMs, AbortSignal.any([signal, settled.signal]))]);
    settled.abort();
  }

  /** Creates a folder. Returns false if the disk is full, for example because of the files to delete. */
  async function isMade(folder: string): Promise<boolean> {
    try {
      await makeFolder(folder, { recursive: true, mode: 0o700 });
      return true;
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      return false;
    }
  }

  /**
   * Renames a folder. Adds the owner's permissions if they're missing, because Linux requires them to move a folder to
   * another parent.
   */
  async function renameFolder(folder: string, to: string): Promise<void> {
    try {
      await rename(folder, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      if (!(await lstat(folder)).isDirectory()) throw error;
      await chmod(folder, 0o700);
      await rename(folder, to);
    }
  }

  return {
    /**
     * Moves a folder to the trash. When this resolves, the folder's path is free. Does nothing if the folder is
     * missing.
     */
    async discard(
      folder: string,
      { runId, environment }: { runId: string; environment: SandboxedEnvironment },
    ): Promise<void> {
      const name = uniqueFolderName(runId);
      names.add(name);
      const parent = join(trash, name);
      const hasParent = await isMade(parent);
      try {
        await renameFolder(folder, hasParent ? join(parent, 'files') : parent);
      } catch (error) {
        if (hasParent) await rmdir(parent);
        names.delete(name);
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
        throw error;
      }
      add({ name, environment });
    },

    /** Deletes folders that an earlier process left, and retries those that couldn't be deleted. */
    async empty(
      environmentOf: (runId: string) => Promise<SandboxedEnvironment | undefined>,
    ): Promise<void> {
      await isMade(trash);
      const quarantined = new Set(await readdir(quarantine).catch(() => []));
      for (const name of quarantined) await rename(join(quarantine, name), join(trash, name));
      for (const name of await readdir(trash)) {
        if (names.has(name)) continue;
        names.add(name);
        const environment = (await environmentOf(runIdIn(name))) ?? sandboxes.fallback;
        add({ name, environment }, quarantined.has(name) ? retries : fresh);
      }
    },

    /** Returns true if every discarded folder is deleted. */
    async isEmpty(): Promise<boolean> {
      const all = [trash, quarantine].map((folder) => readdir(folder).catch(() => []));
      return (await Promise.all(all)).flat().length === 0;
    },

    settle,

    /** Stops deleting. When this resolves, nothing is being deleted. */
    async stop(): Promise<void> {
      await settle(AbortSignal.timeout(stopWaitMs));
      stopping.abort();
      await settle();
    },
  };
}
export type Trash = ReturnType<typeof createTrash>;

/** Creates a unique folder name that starts with the run's ID. */
export const uniqueFolderName = (runId: string): string => `${runId}.${randomUUID()}`;
/** Returns the run's ID in a folder's name. Other names, such as `.DS_Store`, are returned unchanged. */
export const runIdIn = (name: string): string => /^([^.]+)\./.exec(name)?.[1] ?? name;
