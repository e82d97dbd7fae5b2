import type { Store } from '../store/store.ts';
import type { AutomationRights } from './automations/automation-rights.ts';
import { createAutomationCheck } from './automations/form/check-automation.ts';
import type { HookAddress } from './automations/form/form-content.ts';
import { createFormSources } from './automations/form/form-source.ts';
import {
  createAutomationFormOpener,
  createFormFiller,
  createMakeRecurring,
  createTimeZoneReader,
} from './automations/form/open-automation-form.ts';
import { registerAutomationForm } from './automations/form/register-automation-form.ts';
import { createAutomationSaver } from './automations/form/save-automation.ts';
import { createScheduleAnswer } from './automations/form/schedule-command.ts';
import { createStartNow } from './automations/form/start-now.ts';
import { createAutomationTest } from './automations/form/test-automation.ts';
import type { AutomationsPage } from './automations/page/register-page.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type FormDeps = {
  workspace: Workspace;
  store: Pick<Store, 'automations' | 'firings' | 'settings' | 'requests'>;
  runs: WorkspaceRuns;
  /** Rights that wait for Slack only as long as an acknowledgement allows. */
  automationRights: AutomationRights;
  /** Address at which the bot receives webhooks. */
  hookAddress: HookAddress;
  /** Max time that an acknowledgement waits for Slack's API or the runs API, in ms. */
  ackWaitMs: number;
  redrawPage: AutomationsPage['redraw'];
  wake(): void;
};

/** Registers the form of automations, `/agent schedule` and *Make recurring*. */
export function registerAutomationForms(
  listeners: Listeners,
  { workspace, store, runs, automationRights, hookAddress, ackWaitMs, redrawPage, wake }: FormDeps,
) {
  const { client, people, botUserId, botId } = workspace;
  const { automations, firings, settings, requests } = store;
  const { connections, access, promptRights, checkPosting } = runs;
  const sources = createFormSources({ automations, settings, access, automationRights });
  const fillForm = createFormFiller({ settings, connections, promptRights, hooks: hookAddress });
  const readTimeZone = createTimeZoneReader({ people, ackWaitMs });
  const checkAutomation = createAutomationCheck({
    settings,
    connections,
    automationRights,
    promptRights,
    checkPosting,
    ackWaitMs,
  });
  const openAutomationForm = createAutomationFormOpener({
    sources,
    fillForm,
    readTimeZone,
    promptRights,
    automationRights,
  });
  const makeRecurring = createMakeRecurring(access, openAutomationForm);
  registerAutomationForm(listeners, {
    automations,
    sources,
    fillForm,
    checkAutomation,
    saveAutomation: createAutomationSaver({ automations, sources, checkAutomation }),
    testAutomation: createAutomationTest({
      firings,
      client,
      texts: runs.texts,
      readNames: people.readNames,
      readPermalink: runs.readPermalink,
      botUserId,
      botId,
    }),
    startNow: createStartNow({ automations, firings, automationRights, wake }),
    automationRights,
    makeRecurring,
    readTimeZone,
    hooks: hookAddress,
    search: { connections, requests, settings, promptRights },
    redrawPage,
  });
  const answerSchedule = createScheduleAnswer({
    automations,
    settings,
    openAutomationForm,
    checkAutomation,
    automationRights,
    readTimeZone,
  });
  return { openAutomationForm, answerSchedule, makeRecurring };
}
