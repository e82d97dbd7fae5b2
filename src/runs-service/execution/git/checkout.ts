import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Repository, repositoryFolder } from '../../environments/environments.ts';
import { runOnHost } from '../../isolation/run-on-host.ts';
import { createKeyedLock } from '../keyed-lock.ts';
import { GitError, type GitOptions, runGit, withoutCredentials } from './git.ts';

/** `objectsDir` has the repository's commits. Agents can read it, but not the rest of the mirror, which can have keys. */
export type Checkout = { folder: string; dir: string; objectsDir: string; base: string };

export type CheckoutRequest = {
  repository: Repository;
  workDir: string;
  signal: AbortSignal;
};

/** How old a mirror may be when files are read from it. */
const maxMirrorAgeMs = 60_000;

/**
 * Fresh checkouts through a shared mirror: the first run clones a repository, later runs only fetch. A checkout reads
 * its commits from the mirror, which is fast and takes no space.
 */
export function createCheckouts({ mirrorsDir, path }: { mirrorsDir: string; path: string }) {
  const withLock = createKeyedLock();
  const refreshedAt = new Map<string, number>();
  const mirrorOf = (url: string) =>
    join(mirrorsDir, `${createHash('sha256').update(url).digest('hex')}.git`);

  async function refreshMirror(
    url: string,
    signal: AbortSignal,
    runId: string,
    maxAgeMs = 0,
  ): Promise<string> {
    const mirror = mirrorOf(url);
    const variables = { AGENT_RUN_ID: runId };
    const options = { run: runOnHost, cwd: mirrorsDir, signal, path, variables };
    await withLock(mirror, async () => {
      await mkdir(mirrorsDir, { recursive: true, mode: 0o700 });
      const isFresh = Date.now() - (refreshedAt.get(mirror) ?? 0) < maxAgeMs;
      if (existsSync(mirror)) {
        if (!isFresh) await fetchInto(mirror, options);
        refreshedAt.set(mirror, Date.now());
        return;
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
    const { repository, workDir, signal } = request;
    const runId = basename(workDir);
    const mirror = await refreshMirror(repository.url, signal, runId);
    const variables = { AGENT_RUN_ID: runId };
    const options = { run: runOnHost, cwd: workDir, signal, path, variables };
    const folder = repositoryFolder(repository);
    const dir = join(workDir, 'repo', folder);
    const branch = repository.branch === undefined ? [] : ['--branch', repository.branch];
    await runGit(['clone', '--quiet', '--shared', ...branch, '--', mirror, dir], options);
    const origin = withoutCredentials(repository.url);
    await runGit(['-C', dir, 'remote', 'set-url', 'origin', origin], options);
    const base = (await runGit(['-C', dir, 'rev-parse', 'HEAD'], options)).trim();
    return { folder, dir, objectsDir: join(mirror, 'objects'), base };
  }

  /** Files of the repository's branch, at most a minute old. */
  async function readFiles(
    repository: Repository,
    isWanted: (path: string) => boolean,
    atMost: number,
    signal: AbortSignal,
  ): Promise<{ path: string; content: string }[]> {
    const mirror = await refreshMirror(repository.url, signal, '', maxMirrorAgeMs);
    const options = { run: runOnHost, cwd: mirrorsDir, signal, path };
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

  return { checkOut, readFiles, objectsDir: (url: string) => join(mirrorOf(url), 'objects') };
}
export type Checkouts = ReturnType<typeof createCheckouts>;

async function fetchInto(mirror: string, options: GitOptions): Promise<void> {
  const everything = '+refs/*:refs/*';
  const command = ['-C', mirror, 'fetch', '--quiet', '--prune', 'origin', everything];
  try {
    await runGit(command, options);
  } catch (error) {
    if (!(error instanceof GitError && error.message.includes('.lock'))) throw error;
    // A killed git leaves its lock files behind. No other git works here, because the caller holds the mirror's lock.
    for (const name of await readdir(mirror, { recursive: true }))
      if (name.endsWith('.lock')) await rm(join(mirror, name), { force: true });
    await runGit(command, options);
  }
}
