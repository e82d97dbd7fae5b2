import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import { runTool } from '../../isolation/run-tool.ts';
import type { Walls } from '../../isolation/walls.ts';
import { createKeyedLock } from '../keyed-lock.ts';

/** The folders of a run that setup commands write to. */
const cachedFolders = ['repo', 'home'];
const maxEntries = 10;
const maxUnusedMs = 14 * 24 * 60 * 60_000;
const copyTimeoutMs = 10 * 60_000;

export type SetupPlace = {
  runId: string;
  environment: ServiceEnvironment;
  workDir: string;
  signal: AbortSignal;
};

/** @param parts everything that affects the result of a setup */
export const setupKey = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * Copies of work folders as setup commands left them. Keeps the ten most recently used ones, and none that was unused
 * for two weeks.
 */
export function createSetupCache(options: { folder: string; path: string; walls: Walls }) {
  const { folder, path, walls } = options;
  const using = new Map<string, number>();

  const run = (command: string[], place: SetupPlace, readOnly: string[] = []) => {
    const { runId, environment, workDir, signal } = place;
    const wall = walls.open(environment, { runId, folder: workDir, readOnly, isOffline: true });
    const variables = { PATH: path, LC_ALL: 'C', AGENT_RUN_ID: runId };
    return runTool(wall.run, command, {
      ...{ cwd: workDir, variables, signal },
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

  async function prune({ runId, environment }: SetupPlace): Promise<void> {
    const names = await readdir(folder);
    const entries = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    entries.sort((a, b) => b.usedAt - a.usedAt);
    for (const [rank, { name, usedAt }] of entries.entries()) {
      const isWanted = rank < maxEntries && Date.now() - usedAt < maxUnusedMs;
      if (!isWanted && !using.has(name))
        await walls.remove(environment, { runId, folder: join(folder, name) });
    }
  }

  return {
    /** Replaces the checkout with the saved copy. False if there is none, or if `signal` aborted. */
    restore: (key: string, place: SetupPlace): Promise<boolean> =>
      whileUsing(key, async () => {
        const { signal } = place;
        const entry = join(folder, key);
        if (!existsSync(entry)) return false;
        await utimes(entry, new Date(), new Date());
        const copies = cachedFolders.map((name) => join(entry, name));
        const replace = `rm -rf -- ${cachedFolders.join(' ')} && cp -a -- "$@" .`;
        const command = ['sh', '-c', replace, 'sh', ...copies];
        const { code, words } = await run(command, place, [entry]);
        if (signal.aborted) return false;
        if (code !== 0) throw new Error(`Couldn't copy a saved setup: ${words}`);
        return true;
      }),

    /** Saves a copy of what the setup commands made. Returns a line for the timeline. */
    save: (key: string, place: SetupPlace): Promise<string> =>
      whileUsing(key, async () => {
        const { runId, workDir } = place;
        // Files that contain the path of this run's folder are useless to others. In logs it doesn't matter.
        const search = ['grep', '-rlIFm1', '--exclude=*.log', '--', runId, ...cachedFolders];
        const found = await run(search, place);
        const failure = "Couldn't save the setup for later runs";
        if (found.code === 0)
          return `${failure}: ${found.words.split('\n').at(-1)} contains the path of this run's folder`;
        if (found.code !== 1) return `${failure}: ${found.words}`;
        const copy = await mkdtemp(join(workDir, 'setup-'));
        const copied = await run(['cp', '-a', ...cachedFolders, copy], place);
        if (copied.code !== 0) return `${failure}: ${copied.words}`;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(copy, join(folder, key));
        await prune(place);
        return 'Saved the setup for later runs';
      }),

    /** Lets the second of two runs find what the first one saved. */
    withLock: createKeyedLock(),
  };
}
export type SetupCache = ReturnType<typeof createSetupCache>;
