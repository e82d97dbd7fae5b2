import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { Trash } from '../../sandbox/deletion/trash.ts';
import { runTool } from '../../sandbox/run-tool.ts';
import { insideOf, type SandboxTarget } from '../../sandbox/sandbox.ts';
import type { Sandboxes } from '../../sandbox/sandboxes.ts';
import { maxUnusedMs } from '../files/prune-folder.ts';
import type { RunFolder } from '../files/run-folder.ts';
import type { FolderPool } from '../folder-pool.ts';
import { createKeyedLock } from '../keyed-lock.ts';

/** Folders of a run that the cache saves, because setup commands write to them. */
const cachedFolders = ['repo', 'home'];
const maxEntries = 10;
const copyTimeoutMs = 10 * 60_000;

export type SetupTarget = {
  runId: string;
  environment: ServiceEnvironment;
  folder: RunFolder;
  signal: AbortSignal;
};

type SetupCacheOptions = {
  folder: string;
  path: string;
  sandboxes: Pick<Sandboxes, 'open'>;
  trash: Pick<Trash, 'discard'>;
  folderPool: FolderPool;
};

type Command = { environment: ServiceEnvironment; target: SandboxTarget; signal: AbortSignal };

/**
 * Returns the cache key of a setup. Secrets are part of it, because setup commands can write them into files.
 * @param parts everything that affects the result: commands, commits, variables, secrets, sandbox, machine and `PATH`
 */
export const setupKey = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Shell script that copies folders. Arguments: a new folder, and the folders to copy into it. */
const copyTo = 'mkdir -- "$1" && to="$1" && shift && exec cp -a -- "$@" "$to"';
const search = ['grep', '-rlIFm1', '--exclude=*.log', '--'];

const commandIn = ({ runId, environment, folder: { location }, signal }: SetupTarget): Command => ({
  environment,
  target: { ...location, runId },
  signal,
});

/**
 * Creates a cache of work folders after their setup. It keeps the ten most recently used ones, for at most two weeks
 * after their last use. Copies share no files, because an agent could change shared ones. A setup isn't saved if a text
 * file contains the run's path, as in Python environments. It wouldn't work in another folder.
 */
export function createSetupCache(options: SetupCacheOptions) {
  const { folder, path, sandboxes, trash, folderPool } = options;
  const using = new Map<string, number>();
  const withLock = createKeyedLock();

  const run = (command: string[], { environment, target, signal }: Command) => {
    const sandbox = sandboxes.open(environment, { ...target, isOffline: true });
    const variables = { PATH: path, LC_ALL: 'C', AGENT_RUN_ID: target.runId };
    return runTool(sandbox.run, command, {
      cwd: insideOf(target),
      variables,
      signal,
      timeoutMs: copyTimeoutMs,
    });
  };
  /** Runs `work` and protects a cache entry from `prune` meanwhile. */
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

  async function prune({ runId, environment }: SetupTarget): Promise<void> {
    const names = await readdir(folder);
    const entries = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    entries.sort((a, b) => b.usedAt - a.usedAt);
    for (const [rank, { name, usedAt }] of entries.entries()) {
      const isRecent = rank < maxEntries && Date.now() - usedAt < maxUnusedMs;
      if (isRecent || using.has(name)) continue;
      for (const removed of [join(folder, name), folderPool.folderOf(name)])
        await trash.discard(removed, { runId, environment });
    }
  }

  /** Copies a saved setup into a run's folder, which must not contain the cached folders yet. */
  async function copy(key: string, command: Command): Promise<void> {
    const entry = join(folder, key);
    const copies = cachedFolders.map((name) => join(entry, name));
    const target = { ...command.target, readOnly: [entry] };
    const { code, output } = await run(['cp', '-a', '--', ...copies, '.'], { ...command, target });
    if (code !== 0) throw new Error(`Couldn't copy a saved setup: ${output}`);
  }

  /** Copies a saved setup for the next run, in the background. */
  function prepareNext(key: string, { environment }: SetupTarget): void {
    const runId = `spare-${key}`;
    folderPool.prepare(key, {
      write: (dir, signal) =>
        whileUsing(key, () => copy(key, { environment, target: { runId, folder: dir }, signal })),
      remove: (dir) => trash.discard(dir, { runId, environment }),
    });
  }

  return {
    /** Replaces the run's cached folders with a saved copy. Returns false if no copy is saved for this key. */
    restore: (key: string, target: SetupTarget): Promise<boolean> =>
      whileUsing(key, async () => {
        const entry = join(folder, key);
        if (!existsSync(entry)) return false;
        await utimes(entry, new Date(), new Date());
        const spare = `${folderPool.folderOf(key)}.${randomUUID()}`;
        if (await folderPool.take(key, spare)) {
          await target.folder.replace(cachedFolders, spare);
          await rmdir(spare);
        } else {
          await target.folder.takeOut(cachedFolders);
          await copy(key, commandIn(target));
        }
        prepareNext(key, target);
        return true;
      }),

    /** Saves a copy of the folders that the setup commands wrote. Returns a line for the timeline. */
    save: (key: string, target: SetupTarget): Promise<string> =>
      whileUsing(key, async () => {
        const command = commandIn(target);
        // Save nothing if a file contains this run's path, because the copy wouldn't work in other folders. Log
        // files don't matter.
        const found = await run(
          [...search, basename(target.folder.inside), ...cachedFolders],
          command,
        );
        const failure = "Couldn't save the setup for later runs";
        if (found.code === 0)
          return `${failure}: ${found.output.split('\n').at(-1)} contains the path of this run's folder`;
        if (found.code !== 1) return `${failure}: ${found.output}`;
        const copy = `setup-${randomUUID()}`;
        const copied = await run(['sh', '-c', copyTo, 'sh', copy, ...cachedFolders], command);
        if (copied.code !== 0) return `${failure}: ${copied.output}`;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await target.folder.moveOut(copy, join(folder, key));
        await withLock('prune', () => prune(target));
        prepareNext(key, target);
        return 'Saved the setup for later runs';
      }),

    /** Runs setups with the same key one at a time. A second run can then wait and reuse the first run's setup. */
    withLock,
  };
}
export type SetupCache = ReturnType<typeof createSetupCache>;
