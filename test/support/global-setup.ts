import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A real server. Each test file creates its own databases. */
    postgresUrl: string;
    /** How bots in tests receive Slack's deliveries. Depends on the project. */
    delivery: 'socket' | 'http';
  }
}

/** Starts one PostgreSQL for the test run, unless `TEST_DATABASE_URL` is set. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) {
    project.provide('postgresUrl', given);
    return undefined;
  }
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
