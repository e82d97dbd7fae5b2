import type { Logger } from 'base/logger';
import type { Inbox } from '../inbox/inbox.ts';
import type { Store } from '../store/store.ts';
import { help } from './agent-command/command-answers.ts';
import type { Connect } from './configuration/connect.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { SlackConnection } from './connection/slack-connection.ts';
import { registerAskForPrompt } from './mention/ask-for-prompt.ts';
import { registerMention } from './mention/register-mention.ts';
import { createReplyIntake } from './replies/reply-intake.ts';
import { registerRunAgain } from './run-again/run-again.ts';
import { registerGlobalShortcut } from './shortcuts/global-shortcut.ts';
import { registerMessageShortcut } from './shortcuts/message-shortcut.ts';
import { registerStartRun } from './start-run/start-run.ts';
import { registerWorkflowStep } from './workflow-step/workflow-step.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type FormDeps = {
  workspace: Workspace;
  store: Pick<Store, 'requests' | 'settings' | 'drafts' | 'conversations'>;
  runs: WorkspaceRuns;
  ackWaitMs: number;
  afterwards: SlackConnection['afterwards'];
};

/** The form, and everything that opens it with one click. */
export function registerForms(
  listeners: Listeners,
  { workspace, store, runs, ackWaitMs, afterwards }: FormDeps,
) {
  const { client, people, sendPrivately } = workspace;
  const { requests, settings, drafts, conversations } = store;
  const { openForm } = registerStartRun(listeners, {
    settings,
    drafts,
    connections: runs.connections,
    checkPosting: runs.checkPosting,
    rights: runs.rights,
    promptRights: runs.promptRights,
    requests,
    client,
    people,
    startRun: runs.startRun,
    readPermalink: runs.readPermalink,
    readMessageLink: runs.readMessageLink,
    ackWaitMs,
    markSource: runs.markSource,
    sendPrivately,
    afterwards,
  });
  const { openAgain, runAgain, runWithChanges } = registerRunAgain(listeners, {
    requests,
    access: runs.access,
    conversations,
    connections: runs.connections,
    startRun: runs.startRun,
    openForm,
    readMessageLink: runs.readMessageLink,
    settings,
  });
  registerAskForPrompt(listeners, { openForm, settings });
  registerMessageShortcut(listeners, {
    openForm,
    readThread: runs.readThread,
    readPermalink: runs.readPermalink,
    readNames: people.readNames,
    texts: runs.texts,
  });
  registerGlobalShortcut(listeners, { client, people, ackWaitMs, openForm });
  return { openForm, openAgain, runAgain, runWithChanges };
}

type MessageDeps = {
  workspace: Workspace;
  inbox: Inbox;
  store: Pick<Store, 'requests' | 'settings' | 'answers' | 'audit' | 'outbox' | 'deliveries'>;
  runs: WorkspaceRuns;
  connect: Connect;
  forms: ReturnType<typeof registerForms>;
  ackWaitMs: number;
  afterwards: SlackConnection['afterwards'];
  wake(): void;
  logger: Logger;
};

/** Workflow steps, mentions and replies. The inbox keeps them, because starting a run may take several tries. */
export function registerMessages(listeners: Listeners, deps: MessageDeps): void {
  const { workspace, inbox, store, runs, connect, ackWaitMs, afterwards, wake } = deps;
  const { teamId, client, botId, botUserId } = workspace;
  const { readNames } = workspace.people;
  const { requests, settings, answers, audit, outbox, deliveries } = store;
  registerWorkflowStep(listeners, {
    client,
    clientWith: workspace.clientWith,
    outbox,
    inbox,
    requests,
    settings,
    startRun: runs.startStoredRun,
    checkPosting: runs.checkPosting,
    botUserId,
    logger: deps.logger,
  });
  const takeReply = createReplyIntake({
    botId,
    botUserId,
    requests,
    settings,
    answers,
    audit,
    connect,
    wake,
    rights: runs.storedRights,
    readNames,
    startRun: runs.startStoredRun,
    markSource: runs.markSource,
    access: runs.storedAccess,
    readRunOfMessage: runs.readRunOfMessage,
    react: runs.react,
    readPermalink: runs.readPermalink,
    help,
    inbox,
    deliveries,
    postPrivately: runs.postPrivately,
    afterwards,
    teamId,
  });
  registerMention(listeners, {
    botId,
    requests,
    settings,
    answers,
    connections: runs.connections,
    audit,
    connect,
    ackWaitMs,
    wake,
    rights: runs.storedRights,
    readNames,
    startRun: runs.startStoredRun,
    markSource: runs.markSource,
    access: runs.storedAccess,
    readRunOfMessage: runs.readRunOfMessage,
    readPermalink: runs.readPermalink,
    help,
    readThread: runs.readThread,
    inbox,
    client,
    postPrivately: runs.postPrivately,
    readMessage: runs.readMessage,
    botUserId,
    takeReply,
    openForm: deps.forms.openForm,
    teamId,
    openAgain: deps.forms.openAgain,
  });
}
