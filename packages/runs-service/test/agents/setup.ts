import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { createProgramsFolder } from '../../../base/test/support/programs-folder.ts';
import { installAgents } from './install.ts';
import { writeMatrix } from './write-matrix.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the installed agents, or the reason if they can't be installed. */
    agents: { folder: string; problem?: string };
  }
}

/** Installs the agents. When all checks have ended, writes their outcomes to the docs. */
export function setup(project: TestProject): () => void {
  const agents = installAgents();
  project.provide('agents', agents);
  const programs = createProgramsFolder();
  project.provide('programs', programs);
  return () => {
    rmSync(programs, { recursive: true, force: true });
    if (agents.problem === undefined) writeMatrix(agents.folder);
  };
}
