import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GitError, type RemoteAccess, runGitCommand } from '../../execution/git/git.ts';

import { runOnHost } from '../../sandbox/run-on-host.ts';

/** Git in a bare repository of the service. @throws GitError */
export type PublishGit = (args: readonly string[], more?: GitCall) => Promise<string>;

type GitCall = {
  input?: string | { file: string };
  variables?: Record<string, string>;
  onOutput?: (chunk: Buffer) => void;
};

type PublishGitOptions = {
  /** The bare repository. It has no work tree. */
  dir: string;
  /** Objects that need no download, if the folder exists. */
  objectsDir: string;
  access: RemoteAccess;
  path: string;
  signal: AbortSignal;
};

/** Limits address space in KiB and files in 512-byte blocks, because a small patch can unpack to more than the machine has. */
const limits = 'ulimit -v 4194304 2>/dev/null; ulimit -f 4194304 2>/dev/null; exec "$@"';

/**
 * Nothing in a patch can run: without a work tree, no filter and no attribute applies, and hooks and helpers are off. Packs
 * are read in small windows, so that large repositories fit in the memory limit.
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

/** Returns undefined if git fails. */
export async function unlessGitFails<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
