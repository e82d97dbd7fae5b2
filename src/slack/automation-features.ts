import type { HookAddress } from './automations/form/form-content.ts';
import { registerAutomationsPage } from './automations/page/register-page.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type AutomationDeps = {
  runs: WorkspaceRuns;
  hookAddress: HookAddress;
};

/** Registers automations: the page that lists them, their form, and what fires them in Slack. */
export function registerAutomations(listeners: Listeners, { runs }: AutomationDeps) {
  const { promptRights } = runs;
  const openAutomations = registerAutomationsPage(listeners, { promptRights });
  return { openAutomations };
}
