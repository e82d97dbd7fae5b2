import { randomBytes } from 'node:crypto';
import type { Logger } from 'base/logger';
import { createConfiguredService } from 'runs-service/configured-service';
import { countQuarantined } from 'runs-service/sandbox/deletion/trash';
import type { BotConfig, EmbeddedRuns, RemoteRuns } from '../config/bot-config.ts';
import {
  type ConnectionClients,
  type ConnectionClientsDeps,
  createConnectionClients,
} from '../following/connection-clients.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { createSignedIn } from '../slack/people/signed-in.ts';
import { createBacklog } from '../store/backlog.ts';
import type { Db } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** Creator of the runs that the bot starts on the embedded runs service. */
const ownCreator = {
  type: 'service_account',
  uid: 'slash-agent',
  display_name: 'slash-agent',
} as const;

export type RunsApiParts = {
  db: Db;
  store: Pick<Store, 'keys'>;
  metrics: Metrics | undefined;
  logger: Logger;
  /** Parts to stop, in the order of their starts. */
  started: { stop(): Promise<void> }[];
  stopping: AbortSignal;
  /** Called before the embedded service stops, which has its own time limits. */
  clearDeadlines(): void;
  visibility: ReturnType<typeof createSignedIn>;
  /** By default, the client's own. */
  dispatcher: ConnectionClientsDeps['operator']['dispatcher'];
};

/** Starts the embedded runs service, if there is one, and connects to all that the workspaces use. */
export async function openRunsApi(
  { runsApi, connectionHosts: privateHosts = [] }: BotConfig,
  parts: RunsApiParts,
): Promise<ConnectionClients> {
  const { started, store, metrics, logger, dispatcher } = parts;
  const isEmbedded = 'embedded' in runsApi;
  const operator = isEmbedded ? await startRunsService(runsApi, parts) : runsApi;
  // The service needs the store for its stop.
  started.push({ stop: async () => parts.clearDeadlines() });
  const clients = createConnectionClients({
    keys: store.keys,
    operator: { ...operator, dispatcher },
    privateHosts,
    logger,
    ...metrics?.reports,
    operatorAddress: isEmbedded ? 'embedded' : runsApi.baseUrl,
  });
  parts.stopping.addEventListener('abort', () => void clients.close());
  started.push({ stop: () => clients.close() });
  return clients;
}

/** With a key that only this process knows. */
async function startRunsService(
  { embedded, signIn }: EmbeddedRuns,
  { db, metrics, logger, started, visibility }: RunsApiParts,
): Promise<RemoteRuns> {
  const apiKey = randomBytes(24).toString('base64url');
  const service = createConfiguredService(embedded, {
    db,
    keys: [{ key: apiKey, role: 'all', creator: ownCreator, source: 'SLACK' }],
    slackSignIn: signIn && {
      ...signIn,
      maySee: (person, run) => visibility.maySee(person, inSlack(run)),
      nameToAnswer: (person, run) => visibility.nameToAnswer(person, inSlack(run)),
    },
    ...metrics?.reports,
    logger,
  });
  started.push(service);
  await service.start();
  const { activeRuns } = service;
  metrics?.watchService({
    ...embedded,
    backlog: createBacklog(db),
    activeRuns,
    countQuarantined: () => countQuarantined(embedded.dataDir),
  });
  // The calls don't leave this machine.
  return { baseUrl: service.apiUrl, apiKey, allowHttp: true };
}

const inSlack = ({ id, metadata_json: json }: { id: string; metadata_json: string }) => ({
  run_id: id,
  metadata: JSON.parse(json),
});
