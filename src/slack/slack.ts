import { byKey } from 'base/by-key';
import type { OAuthConfig } from '../config/bot-config.ts';
import { Inboxes } from '../inbox/inbox.ts';
import type { InboxItems } from '../store/inbox/inbox-items.ts';
import type { InstallationStore } from '../store/installations.ts';
import { createFeatures, type FeatureDeps } from './app.ts';
import { readPassingFailure } from './configuration/connect.ts';
import { createCatalogs } from './configuration/run-catalog.ts';
import type { ServePages } from './connection/http/http-receiver.ts';
import { createScopeChecks } from './connection/installations/scope-checks.ts';
import { createWorkspaceReader } from './connection/installations/workspace-reader.ts';
import { createSlackConnection, type SlackConnectionParts } from './connection/slack-connection.ts';
import { createDigestPlanner } from './digest/digest-planner.ts';
import { createHomeRefresher } from './home/home-screen.ts';
import { createInstallServer } from './installing/install-server.ts';
import { createConversationReader } from './people/conversation-reader.ts';
import { routes } from './routes.ts';
import { createDraftCleaner } from './start-run/start-run.ts';
import type { Workspace } from './workspace.ts';

type SlackParts = Omit<SlackConnectionParts, 'inboxes' | 'workspaceOf' | 'pages'> &
  Omit<
    FeatureDeps,
    'workspace' | 'inbox' | 'catalogOf' | 'connection' | 'conversationReader' | 'isShared'
  > & {
    store: { inbox: InboxItems; installations: InstallationStore };
    oauth?: OAuthConfig | undefined;
    /** Serves pages on the port for health, in Socket Mode. */
    servePages?: ((serve: ServePages) => void) | undefined;
    workspaceOf(teamId: string): Workspace;
  };

/** No workspace has this id. Its features show what there is for every workspace. */
const anyTeam = '';

/**
 * Slack with all features, in every workspace that the app is installed in. `start()` waits for Slack until the signal
 * aborts, and fails when Slack rejects a token; `stop()` waits for running listeners.
 */
export function createSlack(parts: SlackParts) {
  const { store, logger, installations, workspaceOf } = parts;
  const workspaceReader = createWorkspaceReader({
    installations,
    audit: store.audit,
    views: store.views,
    wake: parts.wake,
    logger,
  });
  const inboxes: Inboxes = new Inboxes({
    ...parts,
    items: store.inbox,
    prepare,
    readPassing: readPassingFailure,
  });
  const pages =
    parts.oauth &&
    createInstallServer({
      oauth: parts.oauth,
      apiUrl: parts.apiUrl,
      stopping: parts.stopping,
      logger,
      store: store.installations,
      installed() {
        parts.wake();
        workspaceReader.wake();
      },
    });
  if (pages) parts.servePages?.(pages);
  const connection = createSlackConnection({ ...parts, inboxes, pages });
  const catalogOf = createCatalogs(parts.connect);
  const clientOf = (teamId: string) => workspaceOf(teamId).client;
  const conversationReader = createConversationReader({ ...store, clientOf, logger });
  const featuresOf = byKey((teamId) => {
    connection.keepLateOf(teamId);
    return createFeatures({
      workspace: workspaceOf(teamId),
      inbox: inboxes.of(teamId),
      store,
      connect: parts.connect,
      clients: parts.clients,
      catalogOf,
      isShared: () => installations.isShared(),
      conversationReader,
      connection,
      limits: parts.limits,
      ackWaitMs: parts.ackWaitMs,
      runLinkDomains: parts.runLinkDomains,
      examine: parts.examine,
      wake: parts.wake,
      logger,
    });
  });
  async function prepare(teamId: string): Promise<void> {
    await installations.load(teamId);
    featuresOf(teamId);
  }

  featuresOf(anyTeam).listeners.assertRoutes(routes);
  connection.listen((teamId) => featuresOf(teamId).listeners, Object.keys(routes.function));
  const screenOf = (teamId: string) => featuresOf(teamId).screen;
  const background = [
    createScopeChecks({ ...store, clientOf, logger }),
    workspaceReader,
    conversationReader,
    createHomeRefresher({ ...store, screenOf, clientOf, logger }),
    createDigestPlanner({ ...parts, ...store }),
    createDraftCleaner({ ...parts, ...store }),
  ];

  return {
    async start(signal: AbortSignal): Promise<void> {
      if (!(await connection.start(signal, () => inboxes.start()))) return;
      for (const part of background) part.start();
    },
    isConnected: connection.isConnected,
    stop: () => connection.stop([...background, inboxes]),
  };
}
