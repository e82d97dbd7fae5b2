import { processEnvironment, readDatabaseUrl, readRunsServiceConfig } from './config.ts';
import { ExplainedError } from './lib/explained-error.ts';
import { createLogger } from './lib/logger.ts';
import { type Part, runProcess } from './lib/run-process.ts';
import { createConfiguredService } from './runs-service/configured-service.ts';
import { runKeysCommand } from './runs-service/keys-command.ts';
import { openDatabase } from './store/database.ts';
import { createServiceKeys } from './store/service-keys.ts';

/** The embedded runs service as a process of its own. */
function createServeRuns(): Part {
  const config = readRunsServiceConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  const started: { stop(): Promise<void> }[] = [];
  return {
    async start() {
      const db = await openDatabase(config.databaseUrl);
      started.push({ stop: () => db.destroy() });
      const service = createConfiguredService(config, { db, logger });
      started.push(service);
      await service.start();
    },
    async stop() {
      for (const part of started.splice(0).reverse()) await part.stop();
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
