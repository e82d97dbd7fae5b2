import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GitError, type RemoteAccess, runGitCommand } from '../../execution/git/git.ts';

import { runOnHost } from '../../sandbox/run-on-host.ts';

/**
 * Runs git in a bare repository of the service.
 * @throws GitError
 */
export type PublishGit = (args: readonly string[], more?: GitCall) => Promise<string>;

type GitCall = {
  input?: string | { file: string };
  variables?: Record<string, string>;
  onOutput?: (chunk: Buffer) => void;
};

type PublishGitOptions = {
  /** Folder of the bare repository. */
  dir: string;
  /** Folder with objects that git doesn't have to download. The folder may not exist. */
  objectsDir: string;
  access: RemoteAccess;
  path: string;
  signal: AbortSignal;
};

/**
 * Shell prefix that limits git's memory to 4 GiB and its files to 2 GiB. A small patch can unpack to more than the
 * machine has.
 */
const limits = 'ulimit -v 4194304 2>/dev/null; ulimit -f 4194304 2>/dev/null; exec "$@"';

/**
 * Git settings under which nothing in a patch can run: no work tree, filters, attributes, hooks or helpers. Packs are
 * read in small windows, so that large repositories fit in the memory limit.
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

/** Returns the result of the work, or undefined if git fails. */
export async function unlessGitFails<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
