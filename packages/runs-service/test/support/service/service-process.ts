import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import {
  fixedEnvironments,
  type ServiceEnvironment,
} from '../../../src/environments/environments.ts';
import { createRunsService } from '../../../src/service.ts';
import { openTestDatabase } from '../databases.ts';

/**
 * Runs a runs service as a process, so that tests can kill it: `node service-process.mjs <data folder> [database
 * file]`. Reads `environments.json` in that folder, and prints its URL, or the reason why it can't start.
 */
const [, , dataDir = '', databaseFile = join(dataDir, 'service.db')] = process.argv;
const db = await openTestDatabase(`sqlite:${databaseFile}`);
const service = createRunsService({
  db,
  dataDir,
  environments: fixedEnvironments(
    JSON.parse(readFileSync(join(dataDir, 'environments.json'), 'utf8')) as ServiceEnvironment[],
  ),
  keys: [
    {
      key: 'test-key-of-ada-0123456789abcdefgh',
      role: 'all',
      creator: { type: 'user', uid: 'ada', display_name: 'Ada' },
    },
  ],
  host: '127.0.0.1',
  port: 0,
  logger: createLogger('silent'),
  path: process.env['PATH'],
  allowRoot: true,
  serviceUrl: process.env['SERVICE_URL'],
  concurrency: 2,
});
try {
  await service.start();
  process.stdout.write(`${service.apiUrl}\n`);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
process.once('SIGTERM', async () => {
  await service.stop();
  await db.destroy();
});
