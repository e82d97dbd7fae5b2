import { processEnvironment, readDatabaseUrl, readRunsServiceConfig } from './config.ts';
import { ExplainedError } from './lib/explained-error.ts';
import { createLogger } from './lib/logger.ts';
import { type Part, runProcess } from './lib/run-process.ts';
import { EnvironmentsFile } from './runs-service/environments-file.ts';
import { readKeys } from './runs-service/keyring.ts';
import { runKeysCommand } from './runs-service/keys-command.ts';
import { createRunsService, type RunsService } from './runs-service/runs-service.ts';
import { type Db, openDatabase } from './store/database.ts';
import { createServiceKeys } from './store/service-keys.ts';

/** The embedded runs service as a process of its own. */
function createServeRuns(): Part {
  const config = readRunsServiceConfig(processEnvironment());
  const { host, port, publicUrl, path, dataDir } = config;
  const keys = readKeys(config.keys);
  const logger = createLogger(config.logLevel);
  const environments = new EnvironmentsFile({ file: config.environmentsFile, logger });
  let db: Db | undefined;
  let service: RunsService | undefined;
  return {
    async start() {
      db = await openDatabase(config.databaseUrl);
      service = createRunsService({
        ...{ db, dataDir, environments, keys, logger },
        ...{ host, port, publicUrl, path },
      });
      await service.start();
      environments.start();
      logger.info({ apiUrl: service.apiUrl }, 'runs service is ready');
    },
    async stop() {
      await environments.stop();
      await service?.stop();
      await db?.destroy();
    },
  };
}

/** `keys …`: makes, lists and revokes keys of the service, and ends. */
async function runKeys(args: readonly string[]): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const db = await openDatabase(readDatabaseUrl(processEnvironment()));
  try {
    await runKeysCommand(createServiceKeys(db), args, say);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    await db.destroy();
  }
}

const [, , command, ...args] = process.argv;
await (command === 'keys' ? runKeys(args) : runProcess(createServeRuns));
