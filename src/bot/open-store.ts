import { openDatabase, openForRequests } from 'base/database/database';
import { waitForDatabase } from 'base/database/wait-for-database';
import type { Logger } from 'base/logger';
import type { Metrics } from 'base/metrics/metrics';
import { openEncryption } from 'base/secrets/encryption-keys';
import { serviceTables } from 'runs-service/store/tables';
import type { BotConfig } from '../config/bot-config.ts';
import { createBacklog } from '../store/backlog.ts';
import type { DatabaseSchema } from '../store/schema.ts';
import { createStore } from '../store/store.ts';
import { botTables } from '../store/tables.ts';
import type { Instead } from './instead.ts';

type OpenStoreDeps = {
  /** Components that were started, to stop them later. Listed in the order of their starts. */
  started: { stop(): Promise<void> }[];
  signal: AbortSignal;
  deadlines: { signals: { store: AbortSignal } };
  metrics: Metrics | undefined;
  logger: Logger;
  instead: Instead;
};

/**
 * Opens the database, and waits until it responds. The embedded runs service shares the connection.
 * @returns undefined if the start is aborted first
 */
export async function openStore(
  { databaseUrl, encryptionKeys, runsApi }: BotConfig,
  { started, signal, deadlines, metrics, logger, instead }: OpenStoreDeps,
) {
  const options = {
    encryption: openEncryption(encryptionKeys, logger),
    stopping: deadlines.signals.store,
    onStatement: metrics?.onStatement,
  };
  const tables = 'embedded' in runsApi ? [botTables, serviceTables] : [botTables];
  const open = () =>
    instead.openDatabase?.(options) ?? openDatabase<DatabaseSchema>(databaseUrl, tables, options);
  const db = await waitForDatabase(open, { signal, logger });
  if (!db) return undefined;
  started.push({ stop: () => db.destroy() });
  const prompt = openForRequests(db, databaseUrl, tables, options, instead.storeWaitMs);
  started.push({ stop: () => prompt.destroy() });
  return { db, store: createStore(db, prompt), backlog: createBacklog(db) };
}
