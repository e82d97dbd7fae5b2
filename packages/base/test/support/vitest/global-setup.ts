import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { fastLane } from '../../../../../test/lanes.ts';
import { startPostgres } from '../postgres-server.ts';
import { createProgramsFolder } from '../programs-folder.ts';
import { createTemporaryRoot } from './temporary-root.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a real server, in all lanes but the fast one. Each test file creates its own databases. */
    postgresUrl: string;
    /** Kind of the databases that tests open without naming one. */
    database: 'SQLite' | 'PostgreSQL';
    /** Delivery mode of bots in tests that don't set one. */
    delivery: 'socket' | 'http';
    /** Folder for the programs that tests bundle, each once per test run. */
    programs: string;
  }
}

/** Starts one PostgreSQL for the slow lanes, unless `TEST_DATABASE_URL` is set. Temporary files are in memory. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = createProgramsFolder();
  project.provide('programs', programs);
  const forget = () => rmSync(programs, { recursive: true, force: true });
  project.onTestsRerun(forget);
  const root = process.env['TMPDIR'] === undefined ? createTemporaryRoot() : undefined;
  if (root) process.env['TMPDIR'] = root.folder;
  const given = process.env['TEST_DATABASE_URL'];
  const isNeeded = project.vitest.projects.some(({ name }) => name !== fastLane);
  const server = isNeeded && !given ? await startPostgres() : undefined;
  project.provide('postgresUrl', given ?? server?.url ?? '');
  return async () => {
    forget();
    await server?.stop();
    root?.remove();
  };
}
