import type { Store } from '../store/store.ts';
import type { HookAddress } from './automations/form/form-content.ts';
import { registerAutomationsPage } from './automations/page/register-page.ts';
import { registerTriggers } from './automations/register-triggers.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type AutomationDeps = {
  workspace: Workspace;
  store: Pick<Store, 'automations' | 'firings'>;
  runs: WorkspaceRuns;
  hookAddress: HookAddress;
  wake(): void;
};

/** Registers automations: the page that lists them, their form, and what fires them in Slack. */
export function registerAutomations(
  listeners: Listeners,
  { workspace, store, runs, wake }: AutomationDeps,
) {
  const { teamId, botUserId, botId } = workspace;
  const { automations, firings } = store;
  const { promptRights } = runs;
  registerTriggers(listeners, { teamId, automations, firings, botUserId, botId, wake });
  const openAutomations = registerAutomationsPage(listeners, { promptRights });
  return { openAutomations };
}
