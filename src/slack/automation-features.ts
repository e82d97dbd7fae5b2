import type { Store } from '../store/store.ts';
import { createAutomationRights } from './automations/automation-rights.ts';
import { registerAutomationActs } from './automations/page/register-acts.ts';
import {
  createAutomationsPage,
  registerAutomationsPage,
} from './automations/page/register-page.ts';
import { registerTriggers } from './automations/register-triggers.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import { createSeesConversation } from './people/sees-conversation.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type AutomationDeps = {
  workspace: Workspace;
  store: Pick<Store, 'settings' | 'conversations' | 'automations' | 'firings'>;
  runs: WorkspaceRuns;
  wake(): void;
};

/** Registers automations: the page that lists them, their form, and what fires them in Slack. */
export function registerAutomations(
  listeners: Listeners,
  { workspace, store, runs, wake }: AutomationDeps,
) {
  const { teamId, client, people, botUserId, botId } = workspace;
  const { settings, conversations, automations, firings } = store;
  const { promptRights } = runs;
  const seesConversation = createSeesConversation({ conversations, client });
  registerTriggers(listeners, { teamId, automations, firings, botUserId, botId, wake });
  const page = createAutomationsPage({ automations, firings, settings, people, promptRights });
  registerAutomationActs(listeners, {
    page,
    automations,
    rights: createAutomationRights({ rights: runs.rights, seesConversation }),
  });
  const openAutomations = registerAutomationsPage(listeners, { page, promptRights });
  return { openAutomations };
}
