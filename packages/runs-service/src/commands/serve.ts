import { text } from 'node:stream/consumers';
import { processEnvironment } from 'base/config/environment';
import { withDatabase } from 'base/database/database';
import { waitForDatabase } from 'base/database/wait-for-database';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { debugOnSignal } from 'base/process/debug-on-signal';
import { type Part, runUntilSignaled } from 'base/process/run-until-signaled';
import { openEncryption } from 'base/secrets/encryption-keys';
import { createDeadlines } from 'base/time/deadlines';
import { createMetrics } from '../../../../src/metrics/metrics.ts';
import { createBacklog } from '../../../../src/store/backlog.ts';
import { usage as keysUsage, runKeysCommand } from '../api/keys/keys-command.ts';
import { openRunRemover } from '../artifacts/remove-runs.ts';
import {
  readDatabaseConfig,
  readDatabaseUrl,
  readRunsServiceConfig,
} from '../config/runs-service-config.ts';
import { createConfiguredService } from '../configured-service.ts';
import { runDeleteCommand, usage as runsUsage } from '../delete-command.ts';
import { countQuarantined } from '../sandbox/deletion/trash.ts';
import { createKeyStore } from '../store/key-store.ts';

export const usage = `Usage: slash-agent runs-service
  Starts the runs service alone. Its settings are environment variables, see docs/runs-service.md.

${keysUsage}

${runsUsage}`;

/** Agents get five seconds to end; after that, the ends of their runs are saved. */
const stopWithinMs = { store: 8_000 };

/** The runs service in its own process. */
function createServeRuns(): Part {
  const config = readRunsServiceConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  debugOnSignal(logger);
  const started: { stop(): Promise<void> }[] = [];
  const starting = new AbortController();
  const { signal } = starting;
  const { signals, ...deadlines } = createDeadlines(stopWithinMs);

  async function start(): Promise<void> {
    const encryption = openEncryption(config.encryptionKeys, logger);
    const metrics = config.metrics && createMetrics(config.metrics);
    if (metrics) started.push(metrics);
    await metrics?.start();
    const waiting = { encryption, signal, stopping: signals.store, logger, ...metrics?.reports };
    const db = await waitForDatabase(config.databaseUrl, waiting);
    if (!db) return;
    started.push({ stop: () => db.destroy() });
    const service = createConfiguredService(config, { db, logger, ...metrics?.reports });
    started.push(service);
    await service.start();
    const { activeRuns } = service;
    metrics?.watchService({
      ...config,
      backlog: createBacklog(db),
      activeRuns,
      countQuarantined: () => countQuarantined(config.dataDir),
    });
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

const print = (line: string) => process.stdout.write(`${line}\n`);

async function runKeys(args: readonly string[]): Promise<void> {
  await withDatabase(readDatabaseUrl(processEnvironment()), {}, (db) =>
    runKeysCommand(createKeyStore(db), args, print),
  );
}

async function runRuns(args: readonly string[]): Promise<void> {
  const { databaseUrl, ...config } = readDatabaseConfig(processEnvironment());
  const encryption = openEncryption(config.encryptionKeys, createLogger('silent'));
  const input = () => text(process.stdin);
  await withDatabase(databaseUrl, { encryption }, (db) =>
    runDeleteCommand(openRunRemover(db, config), args, { print, input }),
  );
}

export async function run([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined) await runUntilSignaled(createServeRuns);
  else if (name === 'keys') await runKeys(args);
  else if (name === 'runs') await runRuns(args);
  else throw new ExplainedError(usage);
}
