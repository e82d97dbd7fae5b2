import type { AutomationPlace } from '../automations/port.ts';
import type { Store } from '../store/store.ts';
import { registerAutomationForms } from './automation-form-features.ts';
import { createAutomationRights } from './automations/automation-rights.ts';
import { createFiringChecks } from './automations/check-firing.ts';
import { createFiringMessageReader } from './automations/firing-message.ts';
import type { HookAddress } from './automations/form/form-content.ts';
import {
  registerAutomationActs,
  registerAutomationFormButtons,
} from './automations/page/register-acts.ts';
import {
  createAutomationsPage,
  registerAutomationsPage,
} from './automations/page/register-page.ts';
import { registerAllowedBots } from './automations/register-allowed-bots.ts';
import { registerTriggers } from './automations/register-triggers.ts';
import { createAutomationPlace } from './automations/start-firing.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import { createSeesConversation, type SeesConversation } from './people/sees-conversation.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type AutomationDeps = {
  workspace: Workspace;
  store: Pick<
    Store,
    'automations' | 'firings' | 'settings' | 'outbox' | 'conversations' | 'requests'
  >;
  runs: WorkspaceRuns;
  hookAddress: HookAddress;
  ackWaitMs: number;
  wake(): void;
};

/** Registers automations: the page that lists them, their form, and what fires them in Slack. */
export function registerAutomations(listeners: Listeners, deps: AutomationDeps) {
  const { workspace, store, runs, hookAddress, ackWaitMs, wake } = deps;
  const { teamId, client, people, botUserId, botId } = workspace;
  const { automations, firings, settings, conversations } = store;
  const { promptRights, rights, readMessage } = runs;
  const seesConversation = createSeesConversation({ conversations, client });
  const page = createAutomationsPage({
    automations,
    firings,
    settings,
    people,
    hooks: hookAddress,
    promptRights,
  });
  registerAllowedBots(listeners, { settings, rights, promptRights, readMessage, botId });
  registerTriggers(listeners, { teamId, automations, firings, botUserId, botId, wake });
  registerAutomationActs(listeners, {
    page,
    automations,
    rights: createAutomationRights({ rights, seesConversation }),
  });
  const { openAutomationForm, answerSchedule, makeRecurring } = registerAutomationForms(listeners, {
    workspace,
    store,
    runs,
    automationRights: createAutomationRights({ rights: promptRights, seesConversation }),
    hookAddress,
    ackWaitMs,
    redrawPage: page.redraw,
    wake,
  });
  registerAutomationFormButtons(listeners, { page, openForm: openAutomationForm });
  return {
    openAutomations: registerAutomationsPage(listeners, { page, promptRights }),
    answerSchedule,
    makeRecurring,
    place: createPlace(deps, seesConversation),
  };
}

/** Creates the place that starts the runs of automations. It waits for Slack, as items of the inbox do. */
function createPlace(
  { workspace, store, runs, wake }: AutomationDeps,
  seesConversation: SeesConversation,
): AutomationPlace {
  const { people } = workspace;
  const { settings, outbox } = store;
  const { storedRights: rights } = runs;
  return createAutomationPlace({
    settings,
    outbox,
    people,
    automationRights: createAutomationRights({ rights, seesConversation }),
    checks: createFiringChecks({ rights, seesConversation, settings }),
    readFiringMessage: createFiringMessageReader({
      findMessage: runs.findMessage,
      readThread: runs.readThread,
      readPermalink: runs.readPermalink,
      readNames: people.readNames,
      texts: runs.texts,
    }),
    checkPosting: runs.checkPosting,
    startRun: runs.startStoredRun,
    markSource: runs.markSource,
    wake,
  });
}
