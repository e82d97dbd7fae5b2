import type { AnyDb } from 'base/database/tables';
import type { Logger } from 'base/logger';
import type { Metrics } from 'base/metrics/metrics';
import type { BotConfig, RemoteRuns } from '../config/bot-config.ts';
import {
  type ConnectionClientsDeps,
  createConnectionClients,
} from '../following/connection-clients.ts';
import type { createSignedIn } from '../slack/people/signed-in.ts';
import { createEmbeddedService } from './embedded-service.ts';

type RunsServiceDeps = {
  db: AnyDb;
  keys: ConnectionClientsDeps['keys'];
  metrics: Metrics | undefined;
  onAttempt: ConnectionClientsDeps['onAttempt'];
  visibility: ReturnType<typeof createSignedIn>;
  /** Components that were started, to stop them later. Listed in the order of their starts. */
  started: { stop(): Promise<void> }[];
  deadlines: { clear(): void; signals: { runsApi: AbortSignal } };
  /** HTTP dispatcher of the client. Undefined for the client's default. */
  dispatcher: ConnectionClientsDeps['operator']['dispatcher'];
  logger: Logger;
};

/** Starts the embedded runs service if it's configured, and connects to every service that the workspaces use. */
export async function connectRunsService(
  { runsApi, connectionHosts: privateHosts = [] }: BotConfig,
  deps: RunsServiceDeps,
) {
  const { db, keys, metrics, onAttempt, visibility, started, deadlines, dispatcher, logger } = deps;
  let operator: RemoteRuns;
  let removeRuns = async (_: readonly string[]): Promise<void> => undefined;
  if ('embedded' in runsApi) {
    const service = createEmbeddedService(runsApi, { db, metrics, visibility, logger });
    started.push(service);
    await service.start();
    operator = service.address();
    removeRuns = service.removeRuns;
  } else operator = runsApi;
  // On stop, clear the bot's time limits before the embedded service stops. The service limits its stop itself, and
  // needs the store until it has stopped.
  started.push({ stop: async () => deadlines.clear() });
  const clients = createConnectionClients({
    keys,
    operator: {
      baseUrl: operator.baseUrl,
      apiKey: operator.apiKey,
      allowHttp: operator.allowHttp,
      settleMs: operator.settleMs,
      dispatcher,
    },
    privateHosts,
    logger,
    onAttempt,
    operatorAddress: 'embedded' in runsApi ? 'embedded' : runsApi.baseUrl,
  });
  deadlines.signals.runsApi.addEventListener('abort', () => void clients.close());
  started.push({ stop: () => clients.close() });
  return { clients, removeRuns };
}
