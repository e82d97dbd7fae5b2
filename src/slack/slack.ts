import { byKey } from 'base/by-key';
import type { AutomationPlace } from '../automations/port.ts';
import type { OAuthConfig } from '../config/bot-config.ts';
import { Inboxes } from '../inbox/inbox.ts';
import { createFeatures, type FeatureDeps } from './app.ts';
import type { HookAddress } from './automations/form/form-content.ts';
import { readPassingFailure } from './configuration/connect.ts';
import { createCatalogs } from './configuration/run-catalog.ts';
import type { ServePages } from './connection/http-receiver.ts';
import { createScopeChecks } from './connection/installations/granted-scopes.ts';
import { createWorkspaceReader } from './connection/installations/workspace-reader.ts';
import { createSlackConnection, type SlackConnectionDeps } from './connection/slack-connection.ts';
import { createDigestPlanner } from './digest/digest-planner.ts';
import { createHomeRefresher } from './home/home-screen.ts';
import { createInstallServer } from './installing/install-server.ts';
import { createConversationReader } from './people/conversation-reader.ts';
import { routes } from './routes.ts';
import { createDraftCleaner } from './start-run/start-run.ts';
import type { Workspace } from './workspace.ts';

type SlackDeps = Omit<
  SlackConnectionDeps,
  'deliveries' | 'inboxes' | 'listenersOf' | 'pages' | 'workspaceOf'
> &
  Omit<
    FeatureDeps,
    | 'afterwards'
    | 'catalogOf'
    | 'conversationReader'
    | 'hookAddress'
    | 'inbox'
    | 'isShared'
    | 'workspace'
  > & {
    oauth?: OAuthConfig | undefined;
    hooks: { answer: ServePages; address: HookAddress };
    /** Serves pages on the port of the health probes, in Socket Mode. */
    servePages?: ((serve: ServePages) => void) | undefined;
    workspaceOf(teamId: string): Workspace;
  };

/**
 * Creates the connection to Slack with all features, in every workspace that the app is installed in. `start()` waits
 * for Slack until the signal aborts, and fails if Slack rejects a token. `stop()` waits for running listeners.
 */
export function createSlack(deps: SlackDeps) {
  const { store, logger, installations, workspaceOf, apiUrl, stopping, wake } = deps;
  const { audit, views } = store;
  const clientOf = (teamId: string) => workspaceOf(teamId).client;
  const catalogOf = createCatalogs(deps.connect);
  const workspaceReader = createWorkspaceReader({ installations, audit, views, wake, logger });
  const conversationReader = createConversationReader({
    conversations: store.conversations,
    clientOf,
    logger,
  });
  const readPassing = readPassingFailure;
  const inboxes = new Inboxes({ items: store.inbox, prepare, readPassing, logger });
  const pages = createPages(deps, workspaceReader);
  deps.servePages?.(pages);
  const connection = createSlackConnection({
    apiUrl,
    installations,
    workspaceOf,
    listenersOf: (teamId) => featuresOf(teamId).listeners,
    delivery: deps.delivery,
    receivers: deps.receivers,
    server: deps.server,
    answerHealth: deps.answerHealth,
    reports: deps.reports,
    pages,
    stopping,
    ackWaitMs: deps.ackWaitMs,
    deliveries: store.deliveries,
    inboxes,
    logger,
  });
  const featuresOf = byKey((teamId) => {
    connection.prepare(teamId);
    const features = createFeatures({
      workspace: workspaceOf(teamId),
      inbox: inboxes.of(teamId),
      store,
      connect: deps.connect,
      clients: deps.clients,
      catalogOf,
      isShared: () => installations.isShared(),
      conversationReader,
      afterwards: connection.afterwards,
      limits: deps.limits,
      ackWaitMs: deps.ackWaitMs,
      unfurlDomains: deps.unfurlDomains,
      hookAddress: deps.hooks.address,
      runDiagnostics: deps.runDiagnostics,
      wake: connection.inTurn(wake),
      logger,
    });
    features.listeners.assertRoutes(routes);
    return features;
  });
  async function prepare(teamId: string): Promise<void> {
    await installations.load(teamId);
    featuresOf(teamId);
  }

  const screenOf = (teamId: string) => featuresOf(teamId).screen;
  const background = [
    createScopeChecks({
      servedTeams: store.installations.servedTeams,
      callIn: (teamId) => clientOf(teamId).auth.test(),
      logger,
    }),
    workspaceReader,
    conversationReader,
    createHomeRefresher({ views, screenOf, clientOf, logger }),
    createDigestPlanner({ digests: store.digests, wake, logger }),
    createDraftCleaner({ drafts: store.drafts, logger }),
  ];

  return {
    async start(signal: AbortSignal): Promise<void> {
      if (await connection.start(signal, () => inboxes.start()))
        for (const part of background) part.start();
    },
    isConnected: connection.isConnected,
    /** Returns the part of a workspace that starts the runs of automations. */
    async automationPlaceOf(teamId: string): Promise<AutomationPlace> {
      await prepare(teamId);
      return featuresOf(teamId).place;
    },
    stop: () => connection.stop([...background, inboxes]),
  };
}

/** Creates the function that answers webhooks and, with OAuth, serves the install pages. */
function createPages(
  { oauth, apiUrl, stopping, hooks, store, wake, logger }: SlackDeps,
  workspaceReader: { wake(): void },
): ServePages {
  const installPages =
    oauth &&
    createInstallServer({
      oauth,
      apiUrl,
      stopping,
      logger,
      store: store.installations,
      installed() {
        wake();
        workspaceReader.wake();
      },
    });
  return async (request, response) =>
    (await hooks.answer(request, response)) || Boolean(await installPages?.(request, response));
}
