import type { Store } from '../store/store.ts';
import {
  createAutomationsPage,
  registerAutomationsPage,
} from './automations/page/register-page.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type AutomationDeps = {
  workspace: Workspace;
  store: Pick<Store, 'settings' | 'automations' | 'firings'>;
  runs: WorkspaceRuns;
};

/** Registers automations: the page that lists them, their form, and what fires them in Slack. */
export function registerAutomations(
  listeners: Listeners,
  { workspace, store, runs }: AutomationDeps,
) {
  const { settings, automations, firings } = store;
  const { promptRights } = runs;
  const page = createAutomationsPage({
    automations,
    firings,
    settings,
    people: workspace.people,
    promptRights,
  });
  const openAutomations = registerAutomationsPage(listeners, { page, promptRights });
  return { openAutomations };
}
