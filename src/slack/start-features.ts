import type { Logger } from 'base/logger';
import type { Inbox } from '../inbox/inbox.ts';
import type { Store } from '../store/store.ts';
import { help } from './agent-command/command-answers.ts';
import type { Connect } from './configuration/connect.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { Afterwards } from './connection/running-work.ts';
import { registerAskForPrompt } from './mention/ask-for-prompt.ts';
import { createMentionHandler } from './mention/handle-mention.ts';
import { registerMention } from './mention/register-mention.ts';
import { createMentionStarter } from './mention/start-from-mention.ts';
import { createReplyHandler } from './replies/handle-reply.ts';
import { createAuthorNotifier } from './replies/reply-answers.ts';
import { createReplyIntake } from './replies/reply-intake.ts';
import { registerRunAgain } from './run-again/run-again.ts';
import { registerAskOwner } from './runs/acting/ask-owner.ts';
import { createMessageActs, type MessageActs } from './runs/acting/message-acts.ts';
import { createWorkspaceChoice, registerGlobalShortcut } from './shortcuts/global-shortcut.ts';
import { registerMessageShortcut } from './shortcuts/message-shortcut.ts';
import { createFormCheck } from './start-run/check-form.ts';
import { createFormOpener } from './start-run/open-form.ts';
import { registerFormSearches, registerStartRun } from './start-run/start-run.ts';
import { createFormSubmission } from './start-run/submit-form.ts';
import { createStepCompleter, createStuckWorkflowNotes } from './workflow-step/complete-step.ts';
import { registerWorkflowStep } from './workflow-step/workflow-step.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type FormDeps = {
  workspace: Workspace;
  store: Pick<Store, 'requests' | 'settings' | 'drafts' | 'conversations'>;
  runs: WorkspaceRuns;
  ackWaitMs: number;
  afterwards: Afterwards;
};

/** Registers the form, the buttons and shortcuts that open it, and *Run again*. */
export function registerForms(
  listeners: Listeners,
  { workspace, store, runs, ackWaitMs, afterwards }: FormDeps,
) {
  const { client, people, sendPrivately } = workspace;
  const { requests, settings, drafts, conversations } = store;
  const { connections, rights, promptRights, checkPosting } = runs;
  const openForm = createFormOpener({
    settings,
    drafts,
    connections,
    checkPosting,
    rights,
    promptRights,
  });
  const checkForm = createFormCheck({
    requests,
    settings,
    client,
    connections,
    people,
    promptRights,
    checkPosting,
    ackWaitMs,
  });
  const submitForm = createFormSubmission({
    drafts,
    requests,
    settings,
    startRun: runs.startRun,
    readPermalink: runs.readPermalink,
    readMessageLink: runs.readMessageLink,
    checkForm,
    ackWaitMs,
  });
  registerFormSearches(listeners, { connections, requests, settings, promptRights });
  registerStartRun(listeners, {
    drafts,
    settings,
    submitForm,
    markSource: runs.markSource,
    sendPrivately,
    afterwards,
  });
  const repeats = registerRunAgain(listeners, {
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
  const chooseWorkspace = createWorkspaceChoice({ client, people, ackWaitMs });
  registerGlobalShortcut(listeners, { openForm, chooseWorkspace });
  return { openForm, repeats };
}

type MessageDeps = {
  workspace: Workspace;
  inbox: Inbox;
  store: Pick<Store, 'requests' | 'settings' | 'answers' | 'audit' | 'outbox' | 'deliveries'>;
  runs: WorkspaceRuns;
  connect: Connect;
  forms: ReturnType<typeof registerForms>;
  ackWaitMs: number;
  afterwards: Afterwards;
  wake(): void;
  logger: Logger;
};

/**
 * Registers workflow steps, mentions and replies. The inbox keeps them, because starting a run may take several tries.
 */
export function registerMessages(listeners: Listeners, deps: MessageDeps): void {
  const { workspace, inbox, store, runs, connect, afterwards, wake } = deps;
  const { teamId, client, botId, botUserId } = workspace;
  const { readNames } = workspace.people;
  const { requests, settings, answers, audit, outbox, deliveries } = store;
  const { clientWith } = workspace;
  registerWorkflowStep(listeners, {
    inbox,
    requests,
    settings,
    startRun: runs.startStoredRun,
    checkPosting: runs.checkPosting,
    completeStep: createStepCompleter({ client, clientWith, logger: deps.logger }),
    noteStuckWorkflow: createStuckWorkflowNotes({ inbox, client, outbox }),
    botUserId,
  });
  const acts = createMessageActs({
    requests,
    answers,
    audit,
    settings,
    access: runs.storedAccess,
    rights: runs.storedRights,
    connect,
    startRun: runs.startStoredRun,
    markSource: runs.markSource,
    readNames,
    wake,
  });
  const tell = createAuthorNotifier({ postPrivately: runs.postPrivately, deliveries });
  const handleReply = createReplyHandler({
    requests,
    access: runs.storedAccess,
    rights: runs.storedRights,
    readRunOfMessage: runs.readRunOfMessage,
    readNames,
    readPermalink: runs.readPermalink,
    acts,
    react: runs.react,
    markSource: runs.markSource,
    tell,
    help,
    botUserId,
    botId,
  });
  const takeReply = createReplyIntake({
    teamId,
    botUserId,
    inbox,
    requests,
    settings,
    handleReply,
    tell,
    outbox,
    afterwards,
    wake,
  });
  registerMentions(listeners, deps, acts, takeReply);
}

/** Registers mentions, and the buttons of their answers. */
function registerMentions(
  listeners: Listeners,
  { workspace, inbox, store, runs, forms, ackWaitMs }: MessageDeps,
  acts: MessageActs,
  takeReply: (body: unknown) => Promise<boolean>,
): void {
  const { teamId, client, botId, botUserId } = workspace;
  const { readNames } = workspace.people;
  const { requests, settings } = store;
  const startFromMention = createMentionStarter({
    settings,
    connections: runs.connections,
    rights: runs.storedRights,
    startRun: runs.startStoredRun,
    readThread: runs.readThread,
    readPermalink: runs.readPermalink,
    markSource: runs.markSource,
    ackWaitMs,
  });
  const handleMention = createMentionHandler({
    requests,
    rights: runs.storedRights,
    acts,
    startFromMention,
    readRunOfMessage: runs.readRunOfMessage,
    readThread: runs.readThread,
    readPermalink: runs.readPermalink,
    readNames,
    markSource: runs.markSource,
    help,
    botUserId,
    botId,
  });
  registerMention(listeners, {
    teamId,
    inbox,
    handleMention,
    takeReply,
    postPrivately: runs.postPrivately,
    access: runs.storedAccess,
    openForm: forms.openForm,
    openAgain: forms.repeats.openAgain,
    readThread: runs.readThread,
    readMessage: runs.readMessage,
    readPermalink: runs.readPermalink,
    readNames,
    botUserId,
    botId,
  });
  registerAskOwner(listeners, {
    access: runs.storedAccess,
    inbox,
    client,
    postPrivately: runs.postPrivately,
    readPermalink: runs.readPermalink,
  });
}
