import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a real server; each test file makes databases of its own in it. */
    postgresUrl: string;
    /** How Slack's deliveries reach the bots of a test, by the project that it runs in. */
    delivery: 'socket' | 'http';
  }
}

/** One PostgreSQL for the whole test run: `TEST_DATABASE_URL`, or one that is started here. */
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
