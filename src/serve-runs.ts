import { processEnvironment, readRunsServiceConfig } from './config.ts';
import { createLogger } from './lib/logger.ts';
import { type Part, runProcess } from './lib/run-process.ts';
import { readEnvironments } from './runs-service/environments.ts';
import { readKeys } from './runs-service/keyring.ts';
import { createRunsService, type RunsService } from './runs-service/runs-service.ts';
import { type Db, openDatabase } from './store/database.ts';

/** The embedded runs service as a process of its own. */
function createServeRuns(): Part {
  const config = readRunsServiceConfig(processEnvironment());
  const { host, port, dataDir } = config;
  const keys = readKeys(config.keys);
  const environments = readEnvironments(config.environmentsFile);
  const logger = createLogger(config.logLevel);
  let db: Db | undefined;
  let service: RunsService | undefined;
  return {
    async start() {
      db = await openDatabase(config.databaseUrl);
      service = createRunsService({ db, dataDir, environments, keys, host, port, logger });
      await service.start();
      logger.info({ apiUrl: service.apiUrl }, 'runs service is ready');
    },
    async stop() {
      await service?.stop();
      await db?.destroy();
    },
  };
}

await runProcess(createServeRuns);
