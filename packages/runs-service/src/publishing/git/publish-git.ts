import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GitError, runGitCommand } from '../../execution/git/git.ts';
import type { RemoteAccess } from '../../execution/git/remote-access.ts';
import { runOnHost } from '../../sandbox/run-on-host.ts';

/** Git in a bare repository of the service. @throws GitError */
export type PublishGit = (args: readonly string[], more?: GitCall) => Promise<string>;

type GitCall = {
  input?: string | { file: string };
  variables?: Record<string, string>;
  onOutput?: (chunk: Buffer) => void;
};

type PublishGitOptions = {
  /** The bare repository; it has no work tree. */
  dir: string;
  /** Objects that need no download, if the folder exists. */
  objectsDir: string;
  access: RemoteAccess;
  path: string;
  signal: AbortSignal;
};

/** KiB of address space, and 512-byte blocks of one file. A small patch can unpack to more than the machine has. */
const limits = 'ulimit -v 4194304 2>/dev/null; ulimit -f 4194304 2>/dev/null; exec "$@"';

/**
 * Nothing that a patch contains can run: there is no work tree, so no filter and no attribute applies; hooks and helpers
 * are off. Packs are read in small windows, so that large repositories fit in the limit of memory.
 */
const settings = [
  ['core.attributesFile', '/dev/null'],
  ['core.bare', 'true'],
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '512m'],
  ['submodule.recurse', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.followTags', 'false'],
  ['gpg.format', 'ssh'],
  ['credential.helper', ''],
] as const;

export function createPublishGit(options: PublishGitOptions): PublishGit {
  const { dir, objectsDir, access, path, signal } = options;
  return (args, { input, variables, onOutput } = {}) =>
    runGitCommand(['sh', '-c', limits, 'git', 'git', ...args], {
      run: runOnHost,
      cwd: dir,
      path,
      signal,
      settings: [...settings, ...access.settings],
      variables: {
        GIT_DIR: dir,
        GIT_INDEX_FILE: join(dir, 'publish-index'),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsDir,
        GIT_ATTR_NOSYSTEM: '1',
        ...variables,
      },
      ...(input !== undefined && { input: streamOf(input) }),
      ...(onOutput && { onOutput }),
    });
}

const streamOf = (input: string | { file: string }) =>
  typeof input === 'string' ? Readable.from([input]) : createReadStream(input.file);

/** Whether git fails because of this: undefined instead of its error. */
export async function unlessGitFails<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** The commits that a run started from, as the service recorded them; undefined if there is no record. */
export async function readBases(
  file: string,
): Promise<readonly { folder: string; base: string }[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { folder: string; base: string }[]);
}
