import type { Logger } from 'base/logger';
import type { Inbox } from '../inbox/inbox.ts';
import type { StartLimits } from '../store/requests/accept-request.ts';
import type { Store } from '../store/store.ts';
import { help } from './agent-command/command-answers.ts';
import { registerAgentCommand } from './agent-command/register-agent-command.ts';
import { createPromptSuggester } from './agent-pane/register-agent-pane.ts';
import { registerStop } from './agent-session/register-stop.ts';
import { createAuditAnswer } from './audit-log/answer-audit.ts';
import { registerChanges } from './changes/register-changes.ts';
import type { Connect } from './configuration/connect.ts';
import type { RunCatalog } from './configuration/run-catalog.ts';
import { createRunConnections } from './configuration/run-connections.ts';
import { createListeners } from './connection/deliveries/listeners.ts';
import { registerInstallationEvents } from './connection/installations/installation-events.ts';
import type { Afterwards } from './connection/running-work.ts';
import { createDoctorAnswer, type Examine } from './doctor/answer-doctor.ts';
import { registerFeedback } from './feedback/register-feedback.ts';
import { registerHome } from './home/home.ts';
import { registerLinkUnfurl } from './link-unfurl/register-link-unfurl.ts';
import { registerRunEntity } from './link-unfurl/register-run-entity.ts';
import { registerAskForPrompt } from './mention/ask-for-prompt.ts';
import { registerMention } from './mention/register-mention.ts';
import { registerConversationEvents } from './people/conversation-events.ts';
import type { ConversationReader } from './people/conversation-reader.ts';
import { noteRefusals } from './people/noted-refusals.ts';
import { registerUserGroupEvents } from './people/user-groups.ts';
import { registerPlan } from './plan/register-plan.ts';
import { registerPolicy } from './policy/register-policy.ts';
import { createPostCheck } from './posting/channel-checks.ts';
import { createPrivatePoster } from './posting/post-privately.ts';
import type { SlackClock } from './posting/slack-clock.ts';
import {
  createMessageLinkReader,
  createPermalinkReader,
  createReactor,
  createSourceMarker,
} from './posting/source-message.ts';
import { registerPresets } from './presets/register-presets.ts';
import { registerPullRequest } from './pull-request/register-pull-request.ts';
import { registerQuestion } from './question/register-question.ts';
import { createReplyIntake } from './replies/reply-intake.ts';
import { registerRunAgain } from './run-again/run-again.ts';
import { registerRunDetails } from './run-details/register-run-details.ts';
import { registerRunList } from './run-list/register-run-list.ts';
import { registerRunMessage } from './run-message/register-run-message.ts';
import { createRunStarter } from './runs/acting/run-start.ts';
import { createContextTexts } from './runs/reading/context-texts.ts';
import { createOwnRuns } from './runs/reading/own-runs.ts';
import { createMessageReader, createThreadReader } from './runs/reading/read-thread.ts';
import { createRunAccess } from './runs/reading/run-access.ts';
import { createRunOfMessageReader } from './runs/reading/run-of-message.ts';
import { registerConnections } from './runs-connections/register-connections.ts';
import { registerSessionLink } from './session-link/register-session-link.ts';
import { registerSettings } from './settings/settings.ts';
import { registerGlobalShortcut } from './shortcuts/global-shortcut.ts';
import { registerMessageShortcut } from './shortcuts/message-shortcut.ts';
import { registerStartRun } from './start-run/start-run.ts';
import { registerWorkflowStep } from './workflow-step/workflow-step.ts';
import type { Workspace } from './workspace.ts';

export type FeatureParts = {
  store: Omit<Store, 'following'>;
  connect: Connect;
  clients: Parameters<typeof registerConnections>[1]['clients'];
  catalogOf(connectionId: string): RunCatalog;
  /** Several workspaces share the operator's connection. */
  isShared(): boolean;
  clock: SlackClock;
  conversationReader: ConversationReader;
  afterwards: Afterwards;
  limits: StartLimits;
  /** How long an acknowledgement waits for Slack's API or the runs API. */
  ackWaitMs: number;
  runLinkDomains: readonly string[];
  examine: Examine;
  /** Called when a request is ready for the follower. */
  wake(): void;
  logger: Logger;
};

/** All features of the app in one workspace. */
export function createFeatures(workspace: Workspace, inbox: Inbox, others: FeatureParts) {
  const { store, conversationReader, afterwards, ...shared } = others;
  const readOwnRuns = createOwnRuns({ ...others, ...store, ...workspace });
  const connections = createRunConnections({ ...others, ...store, ...workspace });
  const rights = noteRefusals(workspace.rights, store.audit);
  const promptRights = noteRefusals(workspace.promptRights, store.audit);
  const storedRights = noteRefusals(workspace.storedRights, store.audit);
  const reading = {
    ...shared,
    ...store,
    ...workspace,
    readOwnRuns,
    connections,
    rights,
    promptRights,
    inbox,
  };
  const access = createRunAccess(reading);
  const parts = { ...reading, access, postPrivately: createPrivatePoster(reading) };
  const { note: noteConversation, wake: wakeReader } = conversationReader;

  const listeners = createListeners();
  registerInstallationEvents(listeners, parts);
  const startRun = createRunStarter({ ...parts, noteConversation });
  const checkPosting = createPostCheck(parts, parts.ackWaitMs);
  const react = createReactor(parts.client);
  const markSource = createSourceMarker(react);
  const readPermalink = createPermalinkReader(parts.client);
  const { readNames } = workspace.people;
  const texts = createContextTexts(parts);
  const readThread = createThreadReader(parts.client, readNames, texts);
  const readMessageLink = createMessageLinkReader(readPermalink, parts.outbox, parts.ackWaitMs);
  const asking = { checkPosting, readPermalink, readMessageLink };
  const starting = { ...parts, ...asking, startRun, markSource, afterwards };
  const { openForm } = registerStartRun(listeners, starting);
  const storedAccess = createRunAccess({ ...reading, rights: storedRights });
  const startStored = createRunStarter({ ...parts, rights: storedRights, noteConversation });
  const stored = { ...starting, rights: storedRights, access: storedAccess, startRun: startStored };
  registerWorkflowStep(listeners, stored);
  const repeats = registerRunAgain(listeners, { ...starting, openForm });
  const readRunOfMessage = createRunOfMessageReader(parts);
  const takeReply = createReplyIntake({ ...stored, readRunOfMessage, readNames, react, help });
  registerMention(listeners, {
    ...stored,
    takeReply,
    openForm,
    openAgain: repeats.openAgain,
    readMessage: createMessageReader(parts.client),
    readRunOfMessage,
    readThread,
    readNames,
    help,
  });
  registerAskForPrompt(listeners, { ...parts, openForm });
  registerMessageShortcut(listeners, { openForm, readThread, readPermalink, readNames, texts });
  registerGlobalShortcut(listeners, { ...parts, openForm });
  const openPolicy = registerPolicy(listeners, parts);
  const openSettings = registerSettings(listeners, { ...parts, openPolicy });
  const openPresets = registerPresets(listeners, parts);
  const openConnections = registerConnections(listeners, parts);
  const opening = { openForm, openSettings, openPresets, openConnections };
  const answerAudit = createAuditAnswer(parts);
  const answerDoctor = createDoctorAnswer(parts);
  const answering = { answerAudit, answerDoctor };
  registerAgentCommand(listeners, { ...starting, ...opening, ...answering });
  registerChanges(listeners, parts);
  registerPlan(listeners, parts);
  registerQuestion(listeners, parts);
  const details = registerRunDetails(listeners, parts);
  registerPullRequest(listeners, { ...parts, ...details });
  registerFeedback(listeners, parts);
  registerRunMessage(listeners, { ...parts, ...repeats, ...details, afterwards });
  registerStop(listeners, { ...parts, access: storedAccess });
  registerSessionLink(listeners, parts);
  const suggestPrompts = createPromptSuggester(parts);
  const opened = { openSettings, openConnections, suggestPrompts };
  const screen = registerHome(listeners, { ...parts, ...opened });
  registerRunList(listeners, { ...parts, ...repeats, ...details, showHome: screen.show });
  registerLinkUnfurl(listeners, parts);
  registerRunEntity(listeners, parts);
  registerUserGroupEvents(listeners, parts);
  registerConversationEvents(listeners, { ...parts, afterwards, wakeReader });

  return { listeners, screen };
}
