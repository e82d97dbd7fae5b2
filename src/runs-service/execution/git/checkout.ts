import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Repository, repositoryFolder } from '../../environments/environments.ts';
import { createKeyedLock } from '../keyed-lock.ts';
import { GitError, type GitOptions, runGit, withoutCredentials } from './git.ts';

/** `observerDir` is a git folder that the agent can't reach. Changes are read with it, not with the agent's settings. */
export type Checkout = { folder: string; dir: string; observerDir: string; base: string };

export type CheckoutRequest = {
  repository: Repository;
  workDir: string;
  observerDir: string;
  /** Shares no files with the mirror, because another user or a container writes to the checkout. */
  isIsolated: boolean;
  signal: AbortSignal;
};

/** How old a mirror may be when files are read from it. */
const maxMirrorAgeMs = 60_000;

/**
 * Fresh checkouts through a shared mirror: the first run clones a repository, later runs only fetch. A checkout links
 * files from the mirror, which is fast and takes little space.
 */
export function createCheckouts({ mirrorsDir, path }: { mirrorsDir: string; path: string }) {
  const withLock = createKeyedLock();
  const refreshedAt = new Map<string, number>();

  async function refreshMirror(
    url: string,
    signal: AbortSignal,
    runId: string,
    maxAgeMs = 0,
  ): Promise<string> {
    const mirror = join(mirrorsDir, `${createHash('sha256').update(url).digest('hex')}.git`);
    const options = { cwd: mirrorsDir, signal, path, variables: { AGENT_RUN_ID: runId } };
    await withLock(mirror, async () => {
      await mkdir(mirrorsDir, { recursive: true, mode: 0o700 });
      try {
        const isFresh = Date.now() - (refreshedAt.get(mirror) ?? 0) < maxAgeMs;
        if (existsSync(mirror)) {
          if (!isFresh) await fetchInto(mirror, options);
          refreshedAt.set(mirror, Date.now());
          return;
        }
      } catch (error) {
        // A killed git leaves its lock files behind, and nothing else removes them.
        if (!(error instanceof GitError && error.message.includes('.lock'))) throw error;
        await rm(mirror, { recursive: true, force: true });
      }
      const unfinished = `${mirror}.new`;
      await rm(unfinished, { recursive: true, force: true });
      await runGit(['clone', '--quiet', '--mirror', '--', url, unfinished], options);
      await rename(unfinished, mirror);
      refreshedAt.set(mirror, Date.now());
    });
    return mirror;
  }

  async function checkOut(request: CheckoutRequest): Promise<Checkout> {
    const { repository, workDir, isIsolated, signal } = request;
    const runId = basename(workDir);
    const mirror = await refreshMirror(repository.url, signal, runId);
    const options = { cwd: workDir, signal, path, variables: { AGENT_RUN_ID: runId } };
    const folder = repositoryFolder(repository);
    const dir = join(workDir, 'repo', folder);
    const branch = repository.branch === undefined ? [] : ['--branch', repository.branch];
    const links = isIsolated ? ['--no-hardlinks'] : [];
    await runGit(['clone', '--quiet', ...links, ...branch, '--', mirror, dir], options);
    const origin = withoutCredentials(repository.url);
    await runGit(['-C', dir, 'remote', 'set-url', 'origin', origin], options);
    const base = (await runGit(['-C', dir, 'rev-parse', 'HEAD'], options)).trim();
    const observerDir = join(request.observerDir, `${folder}.git`);
    await runGit(['clone', '--quiet', '--bare', '--shared', '--', mirror, observerDir], options);
    return { folder, dir, observerDir, base };
  }

  /** Files of the repository's branch, at most a minute old. */
  async function readFiles(
    repository: Repository,
    isWanted: (path: string) => boolean,
    atMost: number,
    signal: AbortSignal,
  ): Promise<{ path: string; content: string }[]> {
    const mirror = await refreshMirror(repository.url, signal, '', maxMirrorAgeMs);
    const options = { cwd: mirrorsDir, signal, path };
    const ref = repository.branch ?? 'HEAD';
    const tree = ['-C', mirror, 'ls-tree', '-r', '-z', '--name-only', ref];
    const names = (await runGit(tree, options)).split('\0').filter(isWanted).slice(0, atMost);
    const files: { path: string; content: string }[] = [];
    for (const name of names) {
      const content = await runGit(['-C', mirror, 'show', `${ref}:${name}`], options);
      files.push({ path: name, content });
    }
    return files;
  }

  return { checkOut, readFiles };
}
export type Checkouts = ReturnType<typeof createCheckouts>;

async function fetchInto(mirror: string, options: GitOptions): Promise<void> {
  const everything = '+refs/*:refs/*';
  await runGit(['-C', mirror, 'fetch', '--quiet', '--prune', 'origin', everything], options);
}

/**
 * Prints a patch from the run's first commit to its files now, committed or not. Ignores the checkout's own git
 * settings (filters, external diffs, hooks), because the agent can write them.
 */
export async function readChanges(
  checkout: Checkout,
  { onOutput, ...options }: { path: string; signal: AbortSignal; onOutput(chunk: Buffer): void },
): Promise<void> {
  const variables = { GIT_INDEX_FILE: join(checkout.observerDir, 'observer-index') };
  const git = (args: string[], more: Pick<GitOptions, 'onOutput'> = {}) =>
    runGit(['--git-dir', checkout.observerDir, '--work-tree', checkout.dir, ...args], {
      ...options,
      ...more,
      cwd: checkout.dir,
      variables,
    });
  await git(['read-tree', checkout.base]);
  await git(['add', '--all', '--', '.']);
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv'];
  await git(['diff', '--cached', ...plain, '--find-renames', '--binary', checkout.base], {
    onOutput,
  });
}
