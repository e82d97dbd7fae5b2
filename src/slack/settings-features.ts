import type { Store } from '../store/store.ts';
import {
  type AnswerSchedule,
  registerAgentCommand,
} from './agent-command/register-agent-command.ts';
import { createRunAnswers } from './agent-command/run-answers.ts';
import { createCommandStarter } from './agent-command/start-from-command.ts';
import { createAuditAnswer } from './audit-log/answer-audit.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import { createDoctorAnswer, type RunBotDiagnostics } from './doctor/answer-doctor.ts';
import type { OpenModal } from './people/members-only.ts';
import { registerPolicy } from './policy/register-policy.ts';
import { registerPresets } from './presets/register-presets.ts';
import { registerConnections } from './runs-connections/register-connections.ts';
import { createSettingsSubmission, registerSettings } from './settings/settings.ts';
import { createStoredSettings } from './settings/stored-settings.ts';
import type { registerForms } from './start-features.ts';
import { createUsageAnswer, registerUsage } from './usage/usage.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type SettingsDeps = {
  workspace: Workspace;
  store: Pick<Store, 'requests' | 'settings' | 'audit' | 'digests' | 'keys' | 'spending'>;
  runs: WorkspaceRuns;
  clients: Parameters<typeof registerConnections>[1]['clients'];
  ackWaitMs: number;
  wake(): void;
};

/** Registers the modals for policies, settings, presets, connections and usage. */
export function registerSettingsModals(
  listeners: Listeners,
  { workspace, store, runs, clients, ackWaitMs, wake }: SettingsDeps,
) {
  const { people, policies, groups } = workspace;
  const { requests, settings, audit, digests, keys } = store;
  const { connections, access, rights, promptRights } = runs;
  const openPolicy = registerPolicy(listeners, {
    settings,
    policies,
    rights,
    promptRights,
    groups,
    people,
  });
  const stored = createStoredSettings({ settings, digests, audit, people, connections });
  const submitSettings = createSettingsSubmission({
    stored,
    connections,
    promptRights,
    ackWaitMs,
  });
  const openSettings = registerSettings(listeners, {
    stored,
    submitSettings,
    connections,
    requests,
    promptRights,
    openPolicy,
  });
  const openPresets = registerPresets(listeners, {
    settings,
    access,
    rights,
    promptRights,
    connections,
    ackWaitMs,
  });
  const openConnections = registerConnections(listeners, {
    keys,
    connections,
    rights,
    clients,
    settings,
    ackWaitMs,
    wake,
    access,
    promptRights,
  });
  const openUsage = registerUsage(listeners, {
    spending: store.spending,
    rights,
    promptRights,
    people,
    readMessageLink: runs.readMessageLink,
  });
  return { openSettings, openPresets, openConnections, openUsage };
}

type CommandDeps = {
  workspace: Workspace;
  store: Pick<
    Store,
    'requests' | 'settings' | 'audit' | 'deliveries' | 'list' | 'spending' | 'conversations'
  >;
  runs: WorkspaceRuns;
  forms: ReturnType<typeof registerForms>;
  modals: ReturnType<typeof registerSettingsModals>;
  automations: { openAutomations: OpenModal; answerSchedule: AnswerSchedule };
  runDiagnostics: RunBotDiagnostics;
  ackWaitMs: number;
  wake(): void;
};

/** Registers `/agent` with its subcommands. */
export function registerCommand(listeners: Listeners, deps: CommandDeps): void {
  const { workspace, store, runs, forms, runDiagnostics, ackWaitMs, wake } = deps;
  const { openSettings, openPresets, openConnections } = deps.modals;
  const { people, granted, installations } = workspace;
  const { requests, settings, audit, deliveries, list } = store;
  const { rights } = runs;
  registerAgentCommand(listeners, {
    settings,
    deliveries,
    runAnswers: createRunAnswers({
      requests,
      list,
      connections: runs.connections,
      rights,
      promptRights: runs.promptRights,
      access: runs.access,
      people,
      readMessageLink: runs.readMessageLink,
      wake,
    }),
    startFromCommand: createCommandStarter({
      settings,
      connections: runs.connections,
      rights,
      startRun: runs.startRun,
      openForm: forms.openForm,
      checkPosting: runs.checkPosting,
      granted,
      ackWaitMs,
    }),
    modals: {
      openSettings,
      openPresets,
      openAutomations: deps.automations.openAutomations,
      openConnections,
    },
    answerUsage: createUsageAnswer({
      spending: store.spending,
      rights,
      people,
      readMessageLink: runs.readMessageLink,
    }),
    answerSchedule: deps.automations.answerSchedule,
    answerAudit: createAuditAnswer({
      audit,
      rights,
      access: runs.access,
      conversations: store.conversations,
      readMessageLink: runs.readMessageLink,
    }),
    answerDoctor: createDoctorAnswer({ runDiagnostics, rights, granted, installations }),
  });
}
