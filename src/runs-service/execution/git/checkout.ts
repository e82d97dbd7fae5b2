import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Repository, repositoryFolder } from '../../environments/environments.ts';
import { GitError, type GitOptions, runGit, withoutCredentials } from './git.ts';

/** `observerDir` is a git folder that the agent never sees: what it did is read with it, not with its own settings. */
export type Checkout = { folder: string; dir: string; observerDir: string; base: string };

export type CheckoutRequest = {
  repository: Repository;
  workDir: string;
  /** Where the git folder of the observer goes: nowhere that an agent can write. */
  observerDir: string;
  /** Whether others may write in the checkout: then it shares no file with the mirror. */
  apart: boolean;
  signal: AbortSignal;
};

const readableForMs = 60_000;

/**
 * Fresh checkouts through a shared mirror: the first run of a repository copies it once, later ones only fetch what is
 * new. Files are linked from the mirror, so a checkout takes little time and room.
 */
export function createCheckouts({ mirrorsDir, path }: { mirrorsDir: string; path: string }) {
  const busy = new Map<string, Promise<unknown>>();
  const refreshedAt = new Map<string, number>();

  /** One after the other for each mirror; a failure does not stop the next. */
  function inTurn<T>(mirror: string, work: () => Promise<T>): Promise<T> {
    const turn = (busy.get(mirror) ?? Promise.resolve()).then(work, work);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (busy.get(mirror) === settled) busy.delete(mirror);
      });
    busy.set(mirror, settled);
    return turn;
  }

  async function refreshMirror(
    url: string,
    signal: AbortSignal,
    runId: string,
    maxAgeMs = 0,
  ): Promise<string> {
    const mirror = join(mirrorsDir, `${createHash('sha256').update(url).digest('hex')}.git`);
    const options = { cwd: mirrorsDir, signal, path, variables: { AGENT_RUN_ID: runId } };
    await inTurn(mirror, async () => {
      await mkdir(mirrorsDir, { recursive: true, mode: 0o700 });
      try {
        const fresh = Date.now() - (refreshedAt.get(mirror) ?? 0) < maxAgeMs;
        if (existsSync(mirror)) {
          if (!fresh) await fetchInto(mirror, options);
          refreshedAt.set(mirror, Date.now());
          return;
        }
      } catch (error) {
        // A git that was killed leaves its lock files; nothing else ever takes them away.
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
    const { repository, workDir, apart, signal } = request;
    const runId = basename(workDir);
    const mirror = await refreshMirror(repository.url, signal, runId);
    const options = { cwd: workDir, signal, path, variables: { AGENT_RUN_ID: runId } };
    const folder = repositoryFolder(repository);
    const dir = join(workDir, 'repo', folder);
    const branch = repository.branch === undefined ? [] : ['--branch', repository.branch];
    const links = apart ? ['--no-hardlinks'] : [];
    await runGit(['clone', '--quiet', ...links, ...branch, '--', mirror, dir], options);
    const origin = withoutCredentials(repository.url);
    await runGit(['-C', dir, 'remote', 'set-url', 'origin', origin], options);
    const base = (await runGit(['-C', dir, 'rev-parse', 'HEAD'], options)).trim();
    const observerDir = join(request.observerDir, `${folder}.git`);
    await runGit(['clone', '--quiet', '--bare', '--shared', '--', mirror, observerDir], options);
    return { folder, dir, observerDir, base };
  }

  /** Files of the branch as it is in the mirror, made fresh when it is older than a minute. */
  async function readFiles(
    repository: Repository,
    isWanted: (path: string) => boolean,
    atMost: number,
    signal: AbortSignal,
  ): Promise<{ path: string; content: string }[]> {
    const mirror = await refreshMirror(repository.url, signal, '', readableForMs);
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
 * What differs from the commit that the run began with, committed or not, as a patch. The repository's own settings
 * (filters, external diffs, hooks) are written by the agent and are not obeyed.
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
