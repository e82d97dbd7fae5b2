import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyedLock } from '../keyed-lock.ts';
import { runTool } from '../processes/run-tool.ts';

/** The folders of a run that setup commands write to. */
const cachedFolders = ['repo', 'home'];
const maxEntries = 10;
const maxUnusedMs = 14 * 24 * 60 * 60_000;
const copyTimeoutMs = 10 * 60_000;

export type SetupPlace = {
  runId: string;
  workDir: string;
  scratchDir: string;
  signal: AbortSignal;
};

/** @param parts everything that affects the result of a setup */
export const setupKey = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * Copies of work folders as setup commands left them. Keeps the ten most recently used ones, and none that was unused
 * for two weeks.
 */
export function createSetupCache({ folder, path }: { folder: string; path: string }) {
  const using = new Map<string, number>();

  const run = (command: string[], { runId, workDir, signal }: SetupPlace) =>
    runTool(command, {
      cwd: workDir,
      variables: { PATH: path, LC_ALL: 'C', AGENT_RUN_ID: runId },
      timeoutMs: copyTimeoutMs,
      signal,
    });

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

  async function prune(): Promise<void> {
    const names = await readdir(folder);
    const entries = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    entries.sort((a, b) => b.usedAt - a.usedAt);
    for (const [rank, { name, usedAt }] of entries.entries()) {
      const isWanted = rank < maxEntries && Date.now() - usedAt < maxUnusedMs;
      if (!isWanted && !using.has(name))
        await rm(join(folder, name), { recursive: true, force: true });
    }
  }

  return {
    /** Replaces the checkout with the saved copy. False if there is none, or if `signal` aborted. */
    restore: (key: string, place: SetupPlace): Promise<boolean> =>
      whileUsing(key, async () => {
        const { workDir, signal } = place;
        const entry = join(folder, key);
        if (!existsSync(entry)) return false;
        await utimes(entry, new Date(), new Date());
        for (const name of cachedFolders) {
          await rm(join(workDir, name), { recursive: true, force: true });
          const { code, words } = await run(['cp', '-a', join(entry, name), workDir], place);
          if (signal.aborted) return false;
          if (code !== 0) throw new Error(`Couldn't copy a saved setup: ${words}`);
        }
        return true;
      }),

    /** Saves a copy of what the setup commands made. Returns a line for the timeline. */
    save: (key: string, place: SetupPlace): Promise<string> =>
      whileUsing(key, async () => {
        const { runId, scratchDir } = place;
        // Files that contain the path of this run's folder are useless to others. In logs it doesn't matter.
        const search = ['grep', '-rlIFm1', '--exclude=*.log', '--', runId, ...cachedFolders];
        const found = await run(search, place);
        const failure = "Couldn't save the setup for later runs";
        if (found.code === 0)
          return `${failure}: ${found.words.split('\n').at(-1)} contains the path of this run's folder`;
        if (found.code !== 1) return `${failure}: ${found.words}`;
        const copy = join(scratchDir, 'setup');
        await mkdir(copy, { recursive: true });
        const copied = await run(['cp', '-a', ...cachedFolders, copy], place);
        if (copied.code !== 0) {
          await rm(copy, { recursive: true, force: true });
          return `${failure}: ${copied.words}`;
        }
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(copy, join(folder, key));
        await prune();
        return 'Saved the setup for later runs';
      }),

    /** Lets the second of two runs find what the first one saved. */
    withLock: createKeyedLock(),
  };
}
export type SetupCache = ReturnType<typeof createSetupCache>;
