import type { Logger } from 'base/logger';
import type { Trash } from '../sandbox/deletion/trash.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import { runFiles } from './files/run-files.ts';
import { createSkills } from './files/skills.ts';
import { createFolderPool } from './folder-pool.ts';
import { createCheckouts } from './git/checkout.ts';
import { createSetupCache } from './setup/setup-cache.ts';

export type PreparedMachine = ReturnType<typeof prepareMachine>;

/** Prepares what all runs on this machine share: folders, sandboxes, and the pool of prepared checkouts. */
export function prepareMachine({
  dataDir,
  path,
  sandboxes,
  trash,
  logger,
}: {
  dataDir: string;
  path: string;
  sandboxes: Sandboxes;
  trash: Trash;
  logger: Logger;
}) {
  const files = runFiles(dataDir);
  const folderPool = createFolderPool({ folder: files.sparesDir, logger });
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path, folderPool });
  const skills = createSkills({ checkouts, logger });
  const setups = createSetupCache({ folder: files.setupsDir, path, sandboxes, trash, folderPool });
  return { path, files, sandboxes, trash, folderPool, checkouts, skills, setups };
}
