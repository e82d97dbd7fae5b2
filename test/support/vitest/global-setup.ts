import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../database/postgres-server.ts';
import { createProgramsFolder } from '../programs-folder.ts';
import { createTemporaryRoot } from './temporary-root.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A real server. Each test file creates its own databases. */
    postgresUrl: string;
    /** The folder for programs that tests bundle, each once per test run. */
    programs: string;
  }
}

/** Starts one PostgreSQL for the test run, unless `TEST_DATABASE_URL` is set. Temporary files are in memory. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = createProgramsFolder();
  project.provide('programs', programs);
  const forget = () => rmSync(programs, { recursive: true, force: true });
  project.onTestsRerun(forget);
  const root = process.env['TMPDIR'] === undefined ? createTemporaryRoot() : undefined;
  if (root) process.env['TMPDIR'] = root.folder;
  const given = process.env['TEST_DATABASE_URL'];
  const server = given ? undefined : await startPostgres();
  project.provide('postgresUrl', given ?? server?.url ?? '');
  return async () => {
    forget();
    await server?.stop();
    root?.remove();
  };
}
