import type { Logger } from 'base/logger';
import type { Inbox } from '../inbox/inbox.ts';
import type { StartLimits } from '../store/requests/accept-request.ts';
import type { Store } from '../store/store.ts';
import { createPromptSuggester } from './agent-pane/register-agent-pane.ts';
import { registerAutomations } from './automation-features.ts';
import type { HookAddress } from './automations/form/form-content.ts';
import type { Connect } from './configuration/connect.ts';
import type { RunCatalog } from './configuration/run-catalog.ts';
import { createListeners, type Listeners } from './connection/deliveries/listeners.ts';
import { registerInstallationEvents } from './connection/installations/installation-events.ts';
import type { Afterwards } from './connection/running-work.ts';
import type { RunBotDiagnostics } from './doctor/answer-doctor.ts';
import { registerHome } from './home/home.ts';
import { createHomeDrawing } from './home/home-drawing.ts';
import { createHomeListing } from './home/home-listing.ts';
import { createHomeScreen } from './home/home-screen.ts';
import { registerConversationEvents } from './people/conversation-events.ts';
import type { ConversationReader } from './people/conversation-reader.ts';
import type { OpenModal } from './people/members-only.ts';
import { registerUserGroupEvents } from './people/user-groups.ts';
import { registerRunLinks, registerRunMessages } from './run-features.ts';
import { registerRunList } from './run-list/register-run-list.ts';
import { registerCommand, registerSettingsModals } from './settings-features.ts';
import { registerForms, registerMessages } from './start-features.ts';
import type { Workspace } from './workspace.ts';
import { createWorkspaceRuns, type WorkspaceRuns } from './workspace-runs.ts';

export type FeatureDeps = {
  workspace: Workspace;
  inbox: Inbox;
  store: Omit<Store, 'following'>;
  connect: Connect;
  clients: Parameters<typeof registerSettingsModals>[1]['clients'];
  catalogOf(connectionId: string): RunCatalog;
  /** Returns true if several workspaces use the operator's connection. */
  isShared(): boolean;
  conversationReader: Pick<ConversationReader, 'note' | 'wake'>;
  afterwards: Afterwards;
  limits: StartLimits;
  /** Max time that an acknowledgement waits for Slack's API or the runs API, in ms. */
  ackWaitMs: number;
  unfurlDomains: readonly string[];
  /** Address at which the bot receives webhooks. */
  hookAddress: HookAddress;
  runDiagnostics: RunBotDiagnostics;
  /** Wakes the follower when a request is ready for it. */
  wake(): void;
  logger: Logger;
};

const createRuns = (deps: FeatureDeps): WorkspaceRuns =>
  createWorkspaceRuns({
    workspace: deps.workspace,
    inbox: deps.inbox,
    store: deps.store,
    connect: deps.connect,
    catalogOf: deps.catalogOf,
    isShared: deps.isShared,
    limits: deps.limits,
    ackWaitMs: deps.ackWaitMs,
    noteConversation: deps.conversationReader.note,
    wake: deps.wake,
    logger: deps.logger,
  });

/** Creates all features of the app in one workspace. */
export function createFeatures(deps: FeatureDeps) {
  const { workspace, inbox, store, connect, limits, ackWaitMs, wake, logger } = deps;
  const { afterwards, conversationReader, unfurlDomains, hookAddress } = deps;
  const listeners = createListeners();
  const runs = createRuns(deps);

  const forms = registerForms(listeners, { workspace, store, runs, ackWaitMs, afterwards });
  registerMessages(listeners, {
    workspace,
    inbox,
    store,
    runs,
    connect,
    forms,
    ackWaitMs,
    afterwards,
    wake,
    logger,
  });
  const modals = registerSettingsModals(listeners, {
    workspace,
    store,
    runs,
    clients: deps.clients,
    ackWaitMs,
    wake,
  });
  const automations = registerAutomations(listeners, {
    workspace,
    store,
    runs,
    hookAddress,
    ackWaitMs,
    wake,
  });
  registerCommand(listeners, {
    workspace,
    store,
    runs,
    forms,
    modals,
    automations,
    runDiagnostics: deps.runDiagnostics,
    ackWaitMs,
    wake,
  });
  const { openDetails } = registerRunMessages(listeners, {
    workspace,
    inbox,
    store,
    runs,
    connect,
    limits,
    forms,
    makeRecurring: automations.makeRecurring,
    afterwards,
    wake,
    logger,
  });
  const screen = registerHomeTab(listeners, {
    workspace,
    store,
    runs,
    forms,
    modals,
    openAutomations: automations.openAutomations,
    openDetails,
    logger,
  });
  registerRunLinks(listeners, { workspace, store, runs, unfurlDomains, logger });
  registerStoredFacts(listeners, {
    workspace,
    store,
    conversationReader,
    afterwards,
    wake,
    logger,
  });

  return { listeners, screen, place: automations.place };
}

type HomeDeps = {
  workspace: Workspace;
  store: Pick<Store, 'requests' | 'settings' | 'outbox' | 'keys' | 'list' | 'views'>;
  runs: WorkspaceRuns;
  forms: ReturnType<typeof registerForms>;
  modals: ReturnType<typeof registerSettingsModals>;
  openAutomations: OpenModal;
  openDetails: Parameters<typeof registerRunList>[1]['openDetails'];
  logger: Logger;
};

/** Registers the Home tab, its buttons for runs, and the prompts that the app's pane suggests. */
function registerHomeTab(listeners: Listeners, deps: HomeDeps) {
  const { workspace, store, runs, forms, logger } = deps;
  const { openSettings, openConnections, openUsage } = deps.modals;
  const { client, people, granted, installations } = workspace;
  const { requests, settings, outbox, keys, list, views } = store;
  const { connections, readOwnRuns, access, rights, promptRights } = runs;
  const screen = createHomeScreen({
    drawing: createHomeDrawing({
      listing: createHomeListing({ list, requests, readOwnRuns, connections }),
      list,
      requests,
      views,
      keys,
      outbox,
      connections,
      people,
      promptRights,
      granted,
      client,
      installations,
    }),
    views,
    settings,
    rights,
  });
  const suggestPrompts = createPromptSuggester({ requests, settings, rights, logger });
  registerHome(listeners, {
    screen,
    settings,
    people,
    promptRights,
    connections,
    requests,
    modals: {
      openAutomations: deps.openAutomations,
      openSettings,
      openConnections,
      openUsage,
    },
    suggestPrompts,
  });
  registerRunList(listeners, {
    access,
    openDetails: deps.openDetails,
    repeats: forms.repeats,
    showHome: screen.show,
  });
  return screen;
}

type StoredFactsDeps = {
  workspace: Workspace;
  store: Pick<Store, 'settings' | 'views' | 'audit' | 'conversations'>;
  conversationReader: Pick<ConversationReader, 'wake'>;
  afterwards: Afterwards;
  wake(): void;
  logger: Logger;
};

/** Registers events that change only what the store knows about the workspace. */
function registerStoredFacts(
  listeners: Listeners,
  { workspace, store, conversationReader, afterwards, wake, logger }: StoredFactsDeps,
): void {
  const { tokenWatch, installations, botUserId } = workspace;
  const { settings, views, audit, conversations } = store;
  registerInstallationEvents(listeners, {
    tokenWatch,
    views,
    installations,
    audit,
    botUserId,
    wake,
    logger,
  });
  registerUserGroupEvents(listeners, { settings });
  registerConversationEvents(listeners, {
    conversations,
    afterwards,
    wakeReader: conversationReader.wake,
  });
}
