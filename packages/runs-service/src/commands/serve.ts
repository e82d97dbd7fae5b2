import { text } from 'node:stream/consumers';
import { processEnvironment } from 'base/config/environment';
import { readDatabaseUrl } from 'base/config/stored-data';
import { openDatabase, withDatabase } from 'base/database/database';
import { waitForDatabase } from 'base/database/wait-for-database';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { createMetrics } from 'base/metrics/metrics';
import { debugOnSignal } from 'base/process/debug-on-signal';
import { type Lifecycle, runUntilSignaled } from 'base/process/run-until-signaled';
import { openEncryption } from 'base/secrets/encryption-keys';
import { createDeadlines } from 'base/time/deadlines';
import { usage as keysUsage, runKeysCommand } from '../api/keys/keys-command.ts';
import { openRunRemover } from '../artifacts/remove-runs.ts';
import { readRunsServiceConfig, readStoredConfig } from '../config/runs-service-config.ts';
import { serviceSettings } from '../config/variables.ts';
import { createConfiguredService } from '../configured-service.ts';
import { runDeleteCommand, usage as runsUsage } from '../delete-command.ts';
import { createKeyStore } from '../store/key-store.ts';
import type { DatabaseSchema } from '../store/schema.ts';
import { serviceTables } from '../store/tables.ts';

export const usage = `Usage: slash-agent runs-service
  Starts the runs service alone. Its settings are environment variables, see docs/runs-service.md.

${keysUsage}

${runsUsage}`;

/** Max time to stop, in ms. Agents have 5 s to end, and the rest is for saving the final states of their runs. */
const stopWithinMs = { store: 8_000 };

/** Creates the process that runs the runs service without a bot. */
function createServeRuns(): Lifecycle {
  const config = readRunsServiceConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  debugOnSignal(logger);
  const started: { stop(): Promise<void> }[] = [];
  const starting = new AbortController();
  const { signal } = starting;
  const { signals, begin, clear } = createDeadlines(stopWithinMs);

  async function start(): Promise<void> {
    const encryption = openEncryption(config.encryptionKeys, logger);
    const metrics = config.metrics && createMetrics(config.metrics);
    if (metrics) started.push(metrics);
    await metrics?.start();
    const stopping = signals.store;
    const onStatement = metrics?.onStatement;
    const open = () =>
      openDatabase<DatabaseSchema>(config.databaseUrl, [serviceTables], {
        encryption,
        stopping,
        onStatement,
      });
    const db = await waitForDatabase(open, { signal, logger });
    if (!db) return;
    started.push({ stop: () => db.destroy() });
    const service = createConfiguredService(config, { db, metrics, logger });
    started.push(service);
    await service.start();
  }

  return {
    start,
    async stop() {
      starting.abort();
      begin();
      for (const part of started.splice(0).reverse()) await part.stop();
      clear();
    },
  };
}

const print = (line: string) => process.stdout.write(`${line}\n`);

async function runKeys(args: readonly string[]): Promise<void> {
  const url = readDatabaseUrl(serviceSettings, processEnvironment());
  await withDatabase<DatabaseSchema, void>(url, [serviceTables], {}, (db) =>
    runKeysCommand(createKeyStore(db), args, print),
  );
}

async function runRuns(args: readonly string[]): Promise<void> {
  const { databaseUrl, ...config } = readStoredConfig(processEnvironment());
  const encryption = openEncryption(config.encryptionKeys, createLogger('silent'));
  const input = () => text(process.stdin);
  await withDatabase<DatabaseSchema, void>(databaseUrl, [serviceTables], { encryption }, (db) =>
    runDeleteCommand(openRunRemover(db, config), args, { print, input }),
  );
}

export async function run([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined) await runUntilSignaled(createServeRuns);
  else if (name === 'keys') await runKeys(args);
  else if (name === 'runs') await runRuns(args);
  else throw new ExplainedError(usage);
}
