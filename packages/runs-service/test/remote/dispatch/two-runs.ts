import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { workerHeader } from '../../../src/remote/protocol.ts';
import type { RunsServiceOptions } from '../../../src/service-options.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../../support/runs-service.ts';

/** Starts two runs that wait for their processes. The test plays both processes. */
export async function twoRuns(
  options: Pick<RunsServiceOptions, 'artifactsBucket'> = {},
  more: Partial<ServiceEnvironment> = {},
) {
  const folder = temporaryFolder();
  const save = `cat > ${folder}/$$.new && mv ${folder}/$$.new ${folder}/$$.json`;
  const environment: ServiceEnvironment = {
    ...shellEnvironment('true', { id: 'remote', ...more }),
    runner: 'command',
    isolation: 'external',
    dispatch: { command: ['sh', '-c', save] },
  };
  const dispatches = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const db = await openTestDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  const service = await startRunsService({ environments: [environment], db, ...options });
  const ids = [await service.begin({ prompt: 'one' }), await service.begin({ prompt: 'two' })];
  await expect.poll(() => dispatches()).toHaveLength(2);
  const tokenOf = (id = ''): string =>
    dispatches().find(({ run_id }) => run_id === id)?.token ?? '';
  const call = (
    id = '',
    path: string,
    { token = tokenOf(id), worker = 'worker-of-the-test', ...init }: CallOptions = {},
  ) =>
    fetch(`${service.service.url}/dispatched/${id}${path}`, {
      method: 'POST',
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        [workerHeader]: worker,
        'content-type': 'application/json',
        ...init.headers,
      },
    });
  return { ...service, db, ids, tokenOf, call };
}
type CallOptions = Omit<RequestInit, 'headers'> & {
  token?: string;
  worker?: string;
  headers?: Record<string, string>;
};

/** Returns the body of a report. */
export const aReport = (more: object = {}) =>
  JSON.stringify({ from: 0, events: [], wait_seconds: 0, ...more });
