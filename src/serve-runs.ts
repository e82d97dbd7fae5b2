import { processEnvironment } from './config/environment.ts';
import { readDatabaseUrl, readRunsServiceConfig } from './config/runs-service-config.ts';
import { createDeadlines } from './lib/deadlines.ts';
import { openEncryption } from './lib/encryption-keys.ts';
import { ExplainedError } from './lib/explained-error.ts';
import { createLogger } from './lib/logger.ts';
import { type Part, runProcess } from './lib/run-process.ts';
import { runKeysCommand } from './runs-service/api/keys-command.ts';
import { createConfiguredService } from './runs-service/configured-service.ts';
import { openDatabase } from './store/database/database.ts';
import { waitForDatabase } from './store/database/wait-for-database.ts';
import { createServiceKeys } from './store/service/service-keys.ts';

/** Agents get five seconds to end; after that, the ends of their runs are saved. */
const stopWithinMs = { store: 8_000 };

/** The runs service in its own process. */
function createServeRuns(): Part {
  const config = readRunsServiceConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  const started: { stop(): Promise<void> }[] = [];
  const starting = new AbortController();
  const { signal } = starting;
  const { signals, ...deadlines } = createDeadlines(stopWithinMs);

  async function start(): Promise<void> {
    const encryption = openEncryption(config.encryptionKeys, logger);
    const waiting = { encryption, signal, stopping: signals.store, logger };
    const db = await waitForDatabase(config.databaseUrl, waiting);
    if (!db) return;
    started.push({ stop: () => db.destroy() });
    const service = createConfiguredService(config, { db, logger });
    started.push(service);
    await service.start();
  }

  return {
    start,
    async stop() {
      starting.abort();
      deadlines.begin();
      for (const part of started.splice(0).reverse()) await part.stop();
      deadlines.clear();
    },
  };
}

/** The command `keys`. */
async function runKeys(args: readonly string[]): Promise<void> {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const db = await openDatabase(readDatabaseUrl(processEnvironment()));
  try {
    await runKeysCommand(createServiceKeys(db), args, print);
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
