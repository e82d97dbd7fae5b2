import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRunsServiceConfig } from '../../src/config/runs-service-config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createConfiguredService } from '../../src/runs-service/configured-service.ts';
import { useDatabase } from '../support/database/databases.ts';
import { clientOf, shellEnvironment, temporaryFolder, testKey } from '../support/runs-service.ts';

const db = useDatabase();

it('RUNS_SERVICE_CONCURRENCY limits the active runs', async () => {
  const folder = temporaryFolder();
  const environmentsFile = join(folder, 'environments.json');
  const environments = [shellEnvironment('sleep 1000')];
  writeFileSync(environmentsFile, JSON.stringify({ environments }));
  const config = readRunsServiceConfig({
    DATA_DIR: folder,
    PATH: process.env['PATH'],
    RUNS_SERVICE_PORT: '0',
    RUNS_SERVICE_KEYS: `ada=${testKey}`,
    RUNS_SERVICE_ENVIRONMENTS: environmentsFile,
    RUNS_SERVICE_CONCURRENCY: '6',
  });
  const service = createConfiguredService(config, { db: db(), logger: createLogger('silent') });
  await service.start();
  onTestFinished(() => service.stop());
  const { begin, until } = clientOf(service.apiUrl);
  const ids = await Promise.all(Array.from({ length: 6 }, () => begin({ prompt: 'x' })));
  const runs = await Promise.all(ids.map((id) => until(id, 'INPROGRESS')));
  expect(runs).toHaveLength(6);
});
