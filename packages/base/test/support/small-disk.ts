import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const run = (program: string, ...args: string[]) =>
  void execFileSync(program, args, { stdio: 'pipe' });

/** Mounts a small file system in a new folder. Mounting needs root. */
export function mountSmallDisk(kilobytes: number): string {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder);
  onTestFinished(() => run('umount', '--lazy', folder));
  return folder;
}

/**
 * Makes a folder read-only for processes that open its files later.
 * @returns a function that makes it writable
 */
export function makeReadOnly(folder: string): () => void {
  run('mount', '--bind', folder, folder);
  run('mount', '-o', 'remount,bind,ro', folder);
  return () => run('umount', '--lazy', folder);
}

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** Fills the disk. Deleting the file frees the space. */
export function fill(folder: string): string {
  const file = join(folder, 'filler');
  try {
    writeFileSync(file, Buffer.alloc(freeBytes(folder) + 1_000_000));
  } catch {
    // Writing fails once the disk is full, which is the goal.
  }
  return file;
}
