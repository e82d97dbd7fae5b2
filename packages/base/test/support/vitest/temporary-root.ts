import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/**
 * Creates a folder in memory for the test run's temporary files, because on a disk they'd take much longer to write.
 * Containers may have too little memory for it, or allow no programs in it.
 * @returns undefined if the usual folder must be used
 */
export function createTemporaryRoot(): TemporaryRoot | undefined {
  try {
    return createInMemory();
  } catch {
    // The folder may not be writable, for example.
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
  // Let other users in, because PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(program).status === 0) return { folder, remove };
  remove();
  return undefined;
}
