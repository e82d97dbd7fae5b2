import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import type { Run } from 'runs-client/contract';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../base/test/support/temporary-folder.ts';
import { watched } from '../../../base/test/support/watched.ts';
import { fixedEnvironments, type ServiceEnvironment } from '../../src/environments/environments.ts';
import { createRunsService, type RunsService } from '../../src/service.ts';
import type { RunsServiceOptions } from '../../src/service-options.ts';
import { createSqliteDatabase, openTestDatabase } from './databases.ts';
import { createGitRepository } from './git-repository.ts';
import { watchAnswers } from './service/undocumented-answers.ts';

export { temporaryFolder };

export const testKey = 'test-key-of-ada-0123456789abcdefgh';

/** User ID for services in tests, so that they behave the same as root, such as in containers. */
const notRoot = 1000;

/** Creates a git repository with these files in one commit. */
export function createRepository(files: Record<string, string>): string {
  return createGitRepository(temporaryFolder(), files);
}

/** Returns an environment with a shell script as its agent. It has no sandbox, unless `more` sets one. */
export function shellEnvironment(
  script: string,
  more: Partial<ServiceEnvironment> = {},
): ServiceEnvironment {
  const isolation = more.container ? 'container' : 'none';
  return {
    id: 'shell',
    isolation,
    command: ['sh', '-c', script],
    ...more,
    repositories: more.repositories ?? [{ url: createRepository({ 'notes.txt': 'one\ntwo\n' }) }],
  };
}

export type StartedService = {
  service: RunsService;
  dataDir: string;
  request(path: string, init?: RequestInit): Promise<Response>;
  create(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Creates a run, and returns its ID. */
  begin(body: unknown): Promise<string>;
  get(id: string): Promise<Run>;
  /** Waits until the run is in one of these states. */
  until(id: string, ...states: string[]): Promise<Run>;
  /** Waits until the run's output contains this. */
  printed(id: string, text: string): Promise<void>;
};

/** Starts a runs service on a free port. It's stopped after the test. */
export async function startRunsService(
  options: Partial<Omit<RunsServiceOptions, 'environments'>> & {
    environments: readonly ServiceEnvironment[];
  },
): Promise<StartedService> {
  const dataDir = options.dataDir ?? temporaryFolder();
  const db = options.db ?? (await openTestDatabase(await createSqliteDatabase(temporaryFolder())));
  const answers = watchAnswers();
  const service = createRunsService({
    db,
    dataDir,
    keys: [
      { key: testKey, role: 'all', creator: { type: 'user', uid: 'ada', display_name: 'Ada' } },
    ],
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('silent'),
    killGraceMs: 300,
    concurrency: 4,
    path: process.env['PATH'],
    userId: notRoot,
    onAnswer: answers.onAnswer,
    ...options,
    environments: fixedEnvironments(options.environments),
  });
  await service.start();
  onTestFinished(async () => {
    await service.stop();
    answers.expectDocumented();
    if (!options.db) await db.destroy();
  });
  const output = (id: string) => {
    const file = join(dataDir, 'transcripts', id, 'output.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const printed = (id: string, text: string) => expect.poll(() => output(id)).toContain(text);
  return { service, dataDir, ...clientOf(service.apiUrl), printed };
}

/** Returns a client for the service at this URL. */
export function clientOf(apiUrl: string) {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${apiUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${testKey}`, ...init.headers },
    });
  const create = (body: unknown, headers: Record<string, string> = {}) =>
    request('/agent/run', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const get = async (id: string): Promise<Run> =>
    (await (await request(`/agent/runs/${id}`)).json()) as Run;
  return {
    request,
    create,
    get,
    begin: async (body: unknown): Promise<string> => {
      const answer = (await (await create(body)).json()) as { run_id: string };
      return answer.run_id;
    },
    until: async (id: string, ...states: string[]): Promise<Run> => {
      const poll = watched(() => get(id));
      // Poll less often over time, because a poll costs as much as many runs.
      for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 160)) {
        const run = await poll();
        if (states.includes(run.state)) return run;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  };
}
