import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Repository, repositoryFolder } from '../../environments/environments.ts';
import { runOnHost } from '../../sandbox/run-on-host.ts';
import type { NewRunFolder } from '../files/run-folder.ts';
import type { FolderPool } from '../folder-pool.ts';
import { GitError, type GitOptions, runGit, runGitCommand, withoutCredentials } from './git.ts';
import { createMirrors } from './mirrors.ts';
import { type FileOfCommit, readFilesOf } from './read-files.ts';

/**
 * Checkout of a repository. `objectsDir` contains the repository's commits. Agents can read it, but not the rest of the
 * mirror, which can contain keys.
 */
export type Checkout = { folder: string; dir: string; objectsDir: string; base: string };

type CheckoutRequest = {
  repository: Repository;
  runId: string;
  folder: NewRunFolder;
  signal: AbortSignal;
};

/** Max age of a mirror to read files from, in ms. Older mirrors are updated first. */
const maxMirrorAgeMs = 60_000;

type CheckoutsOptions = { mirrorsDir: string; path: string; folderPool: FolderPool };

/**
 * Shell script that clones from a mirror and prints the commit's hash. Arguments: the mirror, a new folder, the origin
 * URL to show to agents, and options. One script runs all git commands, because starting each from Node takes some
 * milliseconds.
 */
const cloneScript = `mirror="$1" dir="$2" url="$3" && shift 3 &&
git clone --quiet --shared "$@" -- "$mirror" "$dir" && cd "$dir" &&
git remote set-url origin "$url" && exec git rev-parse HEAD`;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Creates the object that makes checkouts. A checkout shares the commits of a mirror, which is fast and saves space.
 * The files of the next checkout are written in advance.
 */
export function createCheckouts({ mirrorsDir, path, folderPool }: CheckoutsOptions) {
  const mirrors = createMirrors({ mirrorsDir, path });

  /**
   * Clones the repository into `dir`.
   * @returns the hash of the commit that was checked out
   */
  async function clone(
    { url, branch }: Repository,
    dir: string,
    options: GitOptions,
    command: readonly string[] = [],
  ): Promise<string> {
    const only = branch === undefined ? [] : ['--branch', branch];
    const where = [mirrors.folderOf(url), dir, withoutCredentials(url), ...only];
    const argv = [...command, 'sh', '-c', cloneScript, 'git', ...where];
    return (await runGitCommand(argv, options)).trim();
  }

  /**
   * Moves a prepared checkout to `dir` and updates it to the newest commit.
   * @returns the commit's hash, or undefined if no prepared checkout can be used
   */
  async function useSpare(
    key: string,
    mirror: string,
    dir: string,
    options: GitOptions,
  ): Promise<string | undefined> {
    if (!(await folderPool.take(key, dir))) return undefined;
    const git = (...args: string[]) => runGit(['-C', dir, ...args], options);
    const refs = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
    try {
      await git('fetch', '--quiet', '--prune', mirror, ...refs);
      const [now, newest] = (await git('rev-parse', 'HEAD', '@{upstream}')).split('\n');
      if (now !== newest) await git('reset', '--quiet', '--hard', '@{upstream}');
      return newest;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      // Delete the prepared checkout if git fails, for example because a tag has no upstream. A fresh clone works,
      // or explains the problem.
      await rm(dir, { recursive: true });
      return undefined;
    }
  }

  async function checkOut(request: CheckoutRequest): Promise<Checkout> {
    const { repository, runId, folder: runFolder, signal } = request;
    const { url, branch } = repository;
    const mirror = await mirrors.refresh(url, signal, runId);
    const variables = { AGENT_RUN_ID: runId };
    const options = { run: runOnHost, cwd: runFolder.hostOf('.'), signal, path, variables };
    const folder = repositoryFolder(repository);
    const dir = runFolder.hostOf(join('repo', folder));
    const key = hashOf(JSON.stringify([url, branch]));
    const base =
      (await useSpare(key, mirror, dir, options)) ?? (await clone(repository, dir, options));
    folderPool.prepare(key, {
      async write(spare, ending) {
        const writing = { run: runOnHost, cwd: spare, signal: ending, path };
        await clone(repository, spare, writing, ['nice', '-n', '19']);
      },
      remove: (spare) => rm(spare, { recursive: true, force: true }),
    });
    return {
      folder,
      dir: join(runFolder.inside, 'repo', folder),
      objectsDir: join(mirror, 'objects'),
      base,
    };
  }

  /**
   * Reads files of the repository's branch, from a mirror that is at most a minute old. Files that are too large have
   * no content.
   */
  async function readFiles(
    repository: Repository,
    isWanted: (path: string) => boolean,
    atMost: number,
    signal: AbortSignal,
  ): Promise<FileOfCommit[]> {
    const cwd = await mirrors.refresh(repository.url, signal, '', maxMirrorAgeMs);
    const options = { run: runOnHost, cwd, signal, path };
    return readFilesOf(repository.branch ?? 'HEAD', isWanted, atMost, options);
  }

  return {
    checkOut,
    readFiles,
    prune: mirrors.prune,
    pack: mirrors.pack,
    objectsDir: (url: string) => join(mirrors.folderOf(url), 'objects'),
  };
}

export type Checkouts = ReturnType<typeof createCheckouts>;
