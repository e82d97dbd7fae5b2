import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/**
 * A folder for the temporary files of the test run, in memory: tests make and delete many thousands of them, and wait for
 * a disk most of that time. Containers have too little such memory, or allow no programs in it.
 * @returns undefined where the usual folder has to do
 */
export function createTemporaryRoot(): TemporaryRoot | undefined {
  try {
    return createInMemory();
  } catch {
    // For example, it can't be written to.
    return undefined;
  }
}

type TemporaryRoot = { folder: string; remove: () => void };

function createInMemory(): TemporaryRoot | undefined {
  if (!existsSync(memory) || process.availableMemory() < neededBytes) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < neededBytes) return undefined;
  const folder = mkdtempSync(join(memory, 'slash-agent-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(program).status === 0) return { folder, remove };
  remove();
  return undefined;
}
