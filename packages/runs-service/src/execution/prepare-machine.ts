import type { Logger } from 'base/logger';
import type { Trash } from '../sandbox/deletion/trash.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import { runFiles } from './files/run-files.ts';
import { createSkills } from './files/skills.ts';
import { createCheckouts } from './git/checkout.ts';
import { createSetupCache } from './setup/setup-cache.ts';
import { createSpares } from './spares.ts';

export type PreparedMachine = ReturnType<typeof prepareMachine>;

/** Prepares everything on this machine that its runs share: folders, sandboxes, and what is made ahead for them. */
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
  const spares = createSpares({ folder: files.sparesDir, logger });
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path, spares });
  const skills = createSkills({ checkouts, logger });
  const setups = createSetupCache({ folder: files.setupsDir, path, sandboxes, trash, spares });
  return { path, files, sandboxes, trash, spares, checkouts, skills, setups };
}
