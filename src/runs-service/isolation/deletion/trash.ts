import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import { sleep } from '../../../lib/sleep.ts';
import type { WalledEnvironment, Walls } from '../walls.ts';
import { removeFolder } from './remove-folder.ts';

type Discarded = { name: string; environment: WalledEnvironment };

const atOnce = 4;
/** A stop of the service must not wait long. What is left is deleted after the next start. */
const stopWaitMs = 2_000;

const trashFolder = (dataDir: string) => join(dataDir, 'trash');
/** Folders that couldn't be deleted. Nothing uses them, and they're tried again every few hours. */
export const quarantineFolder = (dataDir: string) => join(dataDir, 'quarantine');

/** How many folders couldn't be deleted. */
export async function countQuarantined(dataDir: string): Promise<number> {
  return (await readdir(quarantineFolder(dataDir)).catch(() => [])).length;
}

type TrashOptions = {
  dataDir: string;
  path: string;
  walls: Pick<Walls, 'open' | 'fallback'>;
  logger: Logger;
};

/**
 * Deletes folders that agents wrote to, in the background. A folder is first renamed with a new parent, which takes no
 * time whatever is in it: nobody finds it anymore, and its old path is free.
 */
export function createTrash({ dataDir, path, walls, logger }: TrashOptions) {
  const [trash, quarantine] = [trashFolder(dataDir), quarantineFolder(dataDir)];
  const stopping = new AbortController();
  const waiting: Discarded[] = [];
  /** Of folders that are on their way. */
  const names = new Set<string>();
  const working = new Set<Promise<void>>();

  async function remove({ name, environment }: Discarded): Promise<void> {
    const folder = join(trash, name);
    // Without network and a limit of disk: a proxy needs room on a disk that may be full.
    const place = { runId: name, folder, isOffline: true, isRemoval: true };
    const wall = walls.open(environment, place);
    const { signal } = stopping;
    const problem = await removeFolder(wall, folder, { path, signal }).catch(String);
    if (problem === undefined || stopping.signal.aborted) return;
    await mkdir(quarantine, { recursive: true, mode: 0o700 });
    await rename(folder, join(quarantine, name));
    logger.warn({ folder: join(quarantine, name), reason: problem }, 'cannot delete a folder');
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next && !stopping.signal.aborted; next = waiting.shift())
      try {
        await remove(next);
      } catch (error) {
        logger.error({ err: error }, 'cannot move a folder that cannot be deleted');
      } finally {
        names.delete(next.name);
      }
  }

  function add(discarded: Discarded): void {
    waiting.push(discarded);
    if (working.size >= atOnce) return;
    const worker = work().finally(() => working.delete(worker));
    working.add(worker);
  }

  /** An owner that closed a folder to itself can't give it another parent. */
  async function move(folder: string, to: string): Promise<void> {
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
    /** Resolves once nothing has this path anymore. A missing folder is fine. */
    async discard(
      folder: string,
      { runId, environment }: { runId: string; environment: WalledEnvironment },
    ): Promise<void> {
      const name = nameOf(runId);
      names.add(name);
      const parent = join(trash, name);
      await mkdir(parent, { recursive: true, mode: 0o700 });
      try {
        await move(folder, join(parent, 'files'));
      } catch (error) {
        await rmdir(parent);
        names.delete(name);
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
        throw error;
      }
      add({ name, environment });
    },

    /** Continues with what an earlier process left, and tries again what couldn't be deleted. */
    async empty(
      environmentOf: (runId: string) => Promise<WalledEnvironment | undefined>,
    ): Promise<void> {
      await mkdir(trash, { recursive: true, mode: 0o700 });
      for (const name of await readdir(quarantine).catch(() => []))
        await rename(join(quarantine, name), join(trash, name));
      for (const name of await readdir(trash)) {
        if (names.has(name)) continue;
        names.add(name);
        add({ name, environment: (await environmentOf(runIdIn(name))) ?? walls.fallback });
      }
    },

    /** Resolves once each folder is deleted or in quarantine. */
    async settled(): Promise<void> {
      await Promise.all(working);
    },

    /** True if everything is deleted. */
    async isEmpty(): Promise<boolean> {
      const all = [trash, quarantine].map((folder) => readdir(folder).catch(() => []));
      return (await Promise.all(all)).flat().length === 0;
    },

    /** When this resolves, nothing is being deleted. */
    async stop(): Promise<void> {
      const settled = Promise.all(working);
      const waited = new AbortController();
      await Promise.race([settled, sleep(stopWaitMs, waited.signal)]);
      waited.abort();
      stopping.abort();
      await settled;
    },
  };
}
export type Trash = ReturnType<typeof createTrash>;

/** A name that no one has seen, which says whose folder it is. */
export const nameOf = (runId: string): string => `${runId}.${randomUUID()}`;
/** A name of something else, such as `.DS_Store`, is no run's. */
export const runIdIn = (name: string): string => /^([^.]+)\./.exec(name)?.[1] ?? name;
