import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { onTestFinished } from 'vitest';
import { readRunsServiceConfig } from '../src/config/runs-service-config.ts';
import { createConfiguredService } from '../src/configured-service.ts';
import { openTestDatabase } from './support/databases.ts';
import { clientOf, temporaryFolder, testKey } from './support/runs-service.ts';

type Listed = { environments: { uid: string; problem?: string }[]; problem?: string };

/** Starts the runs service with an operator's configuration, and an environments file that the test can change. */
export async function startConfigured(
  environments: readonly object[],
  variables: Record<string, string> = {},
) {
  const folder = temporaryFolder();
  const file = join(folder, 'environments.yml');
  const write = (content: string) => writeFileSync(file, content);
  /** Replaces the file by renaming a new one, like editors do. */
  const replace = (...all: object[]) => {
    writeFileSync(`${file}.new`, JSON.stringify({ environments: all }));
    renameSync(`${file}.new`, file);
  };
  replace(...environments);
  const config = readRunsServiceConfig({
    DATA_DIR: folder,
    PATH: process.env['PATH'],
    RUNS_SERVICE_PORT: '0',
    RUNS_SERVICE_KEYS: `ada=${testKey}`,
    RUNS_SERVICE_ALLOW_ROOT: 'true',
    RUNS_SERVICE_ENVIRONMENTS: file,
    ...variables,
  });
  const db = await openTestDatabase('sqlite::memory:');
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const service = createConfiguredService(config, { db, metrics: undefined, logger });
  await service.start();
  onTestFinished(async () => {
    await service.stop();
    await db.destroy();
  });
  const client = clientOf(service.apiUrl);
  const listed = async () => (await (await client.request('/agent/environments')).json()) as Listed;
  const ids = async () => (await listed()).environments.map(({ uid }) => uid);
  return { file, write, replace, log: () => lines.join(''), listed, ids, ...client };
}
