import { lstat, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeEmpty } from '../../sandbox/deletion/remove-folder.ts';
import { uniqueFolderName } from '../../sandbox/deletion/trash.ts';

/** Folders that are created for every run. The agent starts in `repo` or below it. */
const runFolderNames = ['repo', 'input', 'home', 'tmp', 'artifacts'];

/**
 * A run's folder before the run's first command. The service can write to the folder, because no agent has been in it.
 */
export type NewRunFolder = {
  /** Path of the folder as commands see it. */
  inside: string;
  /** Returns the path on this machine of a file or folder in the run's folder. Git needs this path. */
  hostOf(name: string): string;
  /** Writes a new file. @returns its path as commands see it */
  write(name: string, content: string | Buffer): Promise<string>;
  link(name: string, target: string): Promise<void>;
  makeFolder(name: string): Promise<string>;
  /**
   * Closes the folder to the service before the first command. From then on, only the sandbox opens or writes files
   * in it.
   */
  close(): RunFolder;
};

/**
 * A run's folder after its first command. Each function accepts a name directly in the folder, and renames or removes
 * it without following links. Everything else uses the sandbox.
 */
export type RunFolder = {
  inside: string;
  /** Paths of the folder on the host and in the sandbox. */
  location: { folder: string; inside: string };
  /**
   * Replaces the named folders with those in `from`, which only the service writes to. The old ones go to `discard`.
   */
  replace(all: readonly string[], from: string): Promise<void>;
  /** Moves the named folders out of the run's folder, and passes them to `discard`. */
  takeOut(all: readonly string[]): Promise<void>;
  /**
   * Moves one folder out of the run's folder to `to`.
   * @throws Error if `name` isn't a folder
   */
  moveOut(name: string, to: string): Promise<void>;
  removeIfEmpty(name: string): Promise<boolean>;
};

type OpenRunFolder = {
  fresh: NewRunFolder;
  /** Folder to delete after the run. */
  outermost: string;
};

type RunFolderOptions = {
  worksDir: string;
  /** Parent of the folders that agents see, which have the same path in every run of a conversation. */
  stableDir: string;
  runId: string;
  /** Folder name of the conversation, below `stableDir`. */
  workName: string;
  /** True if the sandbox can show the folder at another path. */
  isMounted: boolean;
  discard(folder: string): Promise<void>;
};

/**
 * Creates a run's folder. If `isMounted`, the folder gets a random name that no agent has seen. The sandbox shows it at
 * the conversation's path, because agents find their sessions by the path that they worked in. Otherwise, the folder is
 * created at the conversation's path, or with a random name if that path exists.
 */
export async function createRunFolder(options: RunFolderOptions): Promise<OpenRunFolder> {
  const { worksDir, stableDir, runId, workName, isMounted, discard } = options;
  const wanted = join(stableDir, workName);
  const random = join(worksDir, uniqueFolderName(runId));
  for (const folder of [worksDir, stableDir]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const isStable = !isMounted && (await isMade(wanted));
  const outermost = isStable ? wanted : random;
  if (!isStable) await mkdir(random, { mode: 0o700 });
  // Put the files one level below if the sandbox mounts the folder. Agents can change the permissions of the files'
  // own folder. Its parent can still be moved, because only the service owns it.
  const host = isMounted ? join(random, 'files') : outermost;
  if (isMounted) await mkdir(host, { mode: 0o700 });
  for (const name of runFolderNames) await mkdir(join(host, name), { mode: 0o700 });
  return { fresh: newFolder(host, isMounted ? wanted : host, discard), outermost };
}

async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function newFolder(
  host: string,
  inside: string,
  discard: RunFolderOptions['discard'],
): NewRunFolder {
  let isOpen = true;
  /**
   * Returns the path on the host. Throws once commands have started, because an agent can replace files with links.
   */
  function hostOf(name: string): string {
    if (!isOpen)
      throw new Error(`${name} can't be written anymore, because commands of the run have started`);
    return join(host, name);
  }
  async function parentOf(name: string): Promise<string> {
    const path = hostOf(name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  }
  return {
    inside,
    hostOf,
    async write(name, content) {
      await writeFile(await parentOf(name), content, { mode: 0o600, flag: 'wx' });
      return join(inside, name);
    },
    async link(name, target) {
      await symlink(target, await parentOf(name));
    },
    async makeFolder(name) {
      await mkdir(hostOf(name), { recursive: true, mode: 0o700 });
      return join(inside, name);
    },
    close() {
      isOpen = false;
      return usedFolder(host, inside, discard);
    },
  };
}

/** Returns the functions for a folder after commands have run in it. */
export function usedFolder(
  host: string,
  inside: string,
  discard: RunFolderOptions['discard'],
): RunFolder {
  function direct(name: string): string {
    if (basename(name) !== name || name === '..') throw new Error(`${name} isn't directly in it`);
    return join(host, name);
  }
  async function takeOut(all: readonly string[]): Promise<void> {
    for (const name of all) await discard(direct(name));
  }
  return {
    inside,
    location: { folder: host, inside },
    takeOut,
    async replace(all, from) {
      await takeOut(all);
      for (const name of all) await rename(join(from, name), direct(name));
    },
    async moveOut(name, to) {
      if (!(await lstat(direct(name))).isDirectory()) throw new Error(`${name} isn't a folder`);
      await rename(direct(name), to);
    },
    removeIfEmpty: (name) => removeEmpty(direct(name)),
  };
}
