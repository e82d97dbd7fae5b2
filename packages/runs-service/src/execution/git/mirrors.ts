import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { runOnHost } from '../../sandbox/run-on-host.ts';
import { maxUnusedMs, pruneFolder } from '../files/prune-folder.ts';
import { createKeyedLock } from '../keyed-lock.ts';
import { accessTo, GitError, type GitOptions, readerOf, runGit, runGitCommand } from './git.ts';

/**
 * Creates the object that keeps local copies of repositories with all branches and tags. The first use clones a
 * repository, later ones only fetch.
 */
export function createMirrors({ mirrorsDir, path }: { mirrorsDir: string; path: string }) {
  const withLock = createKeyedLock();
  const refreshedAt = new Map<string, number>();
  const mirrorOf = (url: string) =>
    join(mirrorsDir, `${createHash('sha256').update(url).digest('hex')}.git`);

  /**
   * Updates the mirror of a repository and returns the mirror's folder. `runId` marks the git processes as part of that
   * run.
   */
  async function refresh(
    url: string,
    signal: AbortSignal,
    runId: string,
    maxAgeMs = 0,
  ): Promise<string> {
    const mirror = mirrorOf(url);
    const variables = { AGENT_RUN_ID: runId };
    const access = accessTo(url);
    const { settings } = access;
    const options = { run: runOnHost, cwd: mirrorsDir, signal, path, variables, settings };
    const work = async () => {
      await mkdir(mirrorsDir, { recursive: true, mode: 0o700 });
      const isFresh = Date.now() - (refreshedAt.get(mirror) ?? 0) < maxAgeMs;
      if (existsSync(mirror)) {
        // Set the modification time, which records the last use for pruning.
        await utimes(mirror, new Date(), new Date());
        if (!isFresh) await fetchInto(mirror, access.url, options);
        refreshedAt.set(mirror, Date.now());
        return;
      }
      const unfinished = `${mirror}.new`;
      await rm(unfinished, { recursive: true, force: true });
      const reader = readerOf(access.url);
      await runGit(
        ['clone', '--quiet', '--mirror', ...reader, '--', access.url, unfinished],
        options,
      );
      await rename(unfinished, mirror);
      refreshedAt.set(mirror, Date.now());
    };
    try {
      await withLock(mirror, work, signal);
    } catch (error) {
      if (error instanceof GitError || !signal.aborted) throw error;
      throw new GitError('Stopped while another run fetches the repository', { cause: error });
    }
    return mirror;
  }

  return {
    refresh,
    folderOf: mirrorOf,
    /**
     * Deletes mirrors that were unused for two weeks, for example because no environment has their repository anymore.
     */
    prune: (): Promise<number> => pruneFolder(mirrorsDir, maxUnusedMs, { withLock }),
    pack: (signal: AbortSignal): Promise<number> =>
      packMirrors({ run: runOnHost, mirrorsDir, path, signal }),
  };
}

async function fetchInto(mirror: string, url: string, options: GitOptions): Promise<void> {
  const everything = '+refs/*:refs/*';
  const command = [
    '-C',
    mirror,
    'fetch',
    '--quiet',
    '--prune',
    ...readerOf(url),
    '--',
    url,
    everything,
  ];
  try {
    await runGit(command, options);
  } catch (error) {
    if (!(error instanceof GitError && error.message.includes('.lock'))) throw error;
    // Delete the lock files that a killed git left. No other git is using them, because the caller holds the
    // mirror's lock.
    for (const name of await readdir(mirror, { recursive: true }))
      if (name.endsWith('.lock')) await rm(join(mirror, name), { force: true });
    await runGit(command, options);
  }
}

/**
 * Max number of loose objects and of packs in a mirror before it's packed, because more would slow git down. The
 * numbers are those of `gc.auto` and `gc.autoPackLimit`. https://git-scm.com/docs/git-gc
 */
const packThresholds = { count: 6_700, packs: 50 };

/** Matches files that a killed git leaves in the folder of packs. They can be large, and no later git deletes them. */
const isUnfinished = (name: string) => /^\.?tmp[-_]/.test(name);
/** Age at which a file of a killed git is deleted, in ms. After an hour, no git can still be writing it. */
const unfinishedMs = 60 * 60_000;

type PackingOptions = Omit<GitOptions, 'cwd'> & { mirrorsDir: string };

/**
 * Packs mirrors that many fetches have fragmented. Runs can use the mirrors at the same time. Unreachable objects are
 * kept, because a checkout may read them.
 * @returns how many mirrors were packed
 * @throws GitError if a mirror can't be packed, after trying all the others
 */
async function packMirrors({ mirrorsDir, ...options }: PackingOptions): Promise<number> {
  let packed = 0;
  const failures: unknown[] = [];
  const names = await readdir(mirrorsDir).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.git'))) {
    const cwd = join(mirrorsDir, name);
    try {
      packed += (await packMirror({ cwd, ...options })) ? 1 : 0;
    } catch (error) {
      options.signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return packed;
}

/** Packs a mirror. @returns false if packing isn't needed */
async function packMirror(mirror: GitOptions): Promise<boolean> {
  await pruneFolder(join(mirror.cwd, 'objects', 'pack'), unfinishedMs, { only: isUnfinished });
  const counted = await runGit(['count-objects', '-v'], mirror);
  const countOf = (what: string) => Number(new RegExp(`^${what}: (\\d+)$`, 'm').exec(counted)?.[1]);
  if (countOf('count') <= packThresholds.count && countOf('packs') <= packThresholds.packs)
    return false;
  const repack = ['git', 'repack', '--quiet', '-a', '-d', '--keep-unreachable'];
  await runGitCommand(['nice', '-n', '19', ...repack], mirror);
  return true;
}
