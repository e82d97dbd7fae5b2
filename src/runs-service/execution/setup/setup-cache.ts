import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import { runTool } from '../../isolation/run-tool.ts';
import type { Walls } from '../../isolation/walls.ts';
import { maxUnusedMs } from '../files/prune-folder.ts';
import { createKeyedLock } from '../keyed-lock.ts';
import type { Spares } from '../spares.ts';

/** The folders of a run that setup commands write to. */
const cachedFolders = ['repo', 'home'];
const maxEntries = 10;
/** Ends the name of an entry that is being deleted. */
const unwanted = '.unwanted';
const copyTimeoutMs = 10 * 60_000;

export type SetupPlace = {
  runId: string;
  environment: ServiceEnvironment;
  workDir: string;
  signal: AbortSignal;
};

type SetupCacheOptions = { folder: string; path: string; walls: Walls; spares: Spares };

/** @param parts everything that affects the result of a setup */
export const setupKey = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const search = ['grep', '-rlIFm1', '--exclude=*.log', '--'];

/**
 * Copies of work folders as setup commands left them. Keeps the ten most recently used ones, and none that was unused
 * for two weeks.
 */
export function createSetupCache(options: SetupCacheOptions) {
  const { folder, path, walls, spares } = options;
  const using = new Map<string, number>();
  const withLock = createKeyedLock();

  const run = (command: string[], place: SetupPlace, readOnly: string[] = []) => {
    const { runId, environment, workDir, signal } = place;
    const wall = walls.open(environment, { runId, folder: workDir, readOnly, isOffline: true });
    const variables = { PATH: path, LC_ALL: 'C', AGENT_RUN_ID: runId };
    return runTool(wall.run, command, {
      cwd: workDir,
      variables,
      signal,
      timeoutMs: copyTimeoutMs,
    });
  };

  /** Protects an entry from `prune` during the work. */
  async function whileUsing<T>(key: string, work: () => Promise<T>): Promise<T> {
    using.set(key, (using.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (using.get(key) ?? 1) - 1;
      if (left > 0) using.set(key, left);
      else using.delete(key);
    }
  }

  /** An entry first gets another name, because a run can start while it's being deleted. */
  async function prune({ runId, environment }: SetupPlace): Promise<void> {
    const names = await readdir(folder);
    const entries = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    entries.sort((a, b) => b.usedAt - a.usedAt);
    for (const [rank, { name, usedAt }] of entries.entries()) {
      const isRecent = rank < maxEntries && Date.now() - usedAt < maxUnusedMs;
      if ((isRecent || using.has(name)) && !name.endsWith(unwanted)) continue;
      const renamed = join(folder, name.replace(unwanted, '') + unwanted);
      renameSync(join(folder, name), renamed);
      for (const removed of [renamed, spares.folderOf(name)])
        await walls.remove(environment, { runId, folder: removed });
    }
  }

  /** Copies a saved setup to the work folder, which has no such folders yet. */
  async function copy(key: string, place: SetupPlace): Promise<void> {
    const entry = join(folder, key);
    const copies = cachedFolders.map((name) => join(entry, name));
    const { code, words } = await run(['cp', '-a', '--', ...copies, '.'], place, [entry]);
    if (code !== 0) throw new Error(`Couldn't copy a saved setup: ${words}`);
  }

  /** Copies a saved setup for the next run, in the background. */
  function prepareNext(key: string, { environment }: SetupPlace): void {
    const runId = `spare-${key}`;
    spares.prepare(key, {
      write: (dir, signal) =>
        whileUsing(key, () => copy(key, { runId, environment, workDir: dir, signal })),
      remove: (dir) => walls.remove(environment, { runId, folder: dir }),
    });
  }

  return {
    /** Replaces the checkout with the saved copy. False if there is none. */
    restore: (key: string, place: SetupPlace): Promise<boolean> =>
      whileUsing(key, async () => {
        const { workDir } = place;
        const entry = join(folder, key);
        if (!existsSync(entry)) return false;
        await utimes(entry, new Date(), new Date());
        const replaced = await mkdtemp(join(workDir, 'replaced-'));
        for (const name of cachedFolders) await rename(join(workDir, name), join(replaced, name));
        const spare = join(workDir, 'setup-spare');
        if (!(await spares.take(key, spare))) await copy(key, place);
        else for (const name of cachedFolders) await rename(join(spare, name), join(workDir, name));
        prepareNext(key, place);
        return true;
      }),

    /** Saves a copy of what the setup commands made. Returns a line for the timeline. */
    save: (key: string, place: SetupPlace): Promise<string> =>
      whileUsing(key, async () => {
        const { workDir } = place;
        // Files that contain the path of this run's folder are useless to others. In logs it doesn't matter.
        const found = await run([...search, basename(workDir), ...cachedFolders], place);
        const failure = "Couldn't save the setup for later runs";
        if (found.code === 0)
          return `${failure}: ${found.words.split('\n').at(-1)} contains the path of this run's folder`;
        if (found.code !== 1) return `${failure}: ${found.words}`;
        const copy = await mkdtemp(join(workDir, 'setup-'));
        const copied = await run(['cp', '-a', ...cachedFolders, copy], place);
        if (copied.code !== 0) return `${failure}: ${copied.words}`;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(copy, join(folder, key));
        await withLock('prune', () => prune(place));
        prepareNext(key, place);
        return 'Saved the setup for later runs';
      }),

    /** Lets the second of two runs find what the first one saved. */
    withLock,
  };
}
export type SetupCache = ReturnType<typeof createSetupCache>;
