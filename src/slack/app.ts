import type { RunsClient } from 'runs-client';
import type { ReadIdentity } from '../following/attribute-run.ts';
import { Inbox } from '../inbox/inbox.ts';
import type { StartLimits } from '../store/requests/accept-request.ts';
import type { Store } from '../store/store.ts';
import { helpText } from './agent-command/command-answers.ts';
import { registerAgentCommand } from './agent-command/register-agent-command.ts';
import { registerChanges } from './changes/register-changes.ts';
import { createRunCatalog } from './configuration/run-catalog.ts';
import { createSlackConnection, type SlackConnectionParts } from './connection/slack-connection.ts';
import { createDigestPlanner } from './digest/digest-planner.ts';
import { registerHome } from './home/home.ts';
import { createHomeRefresher } from './home/home-refresher.ts';
import { registerLinkUnfurl } from './link-unfurl/register-link-unfurl.ts';
import { registerRunEntity } from './link-unfurl/register-run-entity.ts';
import { registerMention } from './mention/register-mention.ts';
import { registerConversationEvents } from './people/conversation-events.ts';
import { createConversationReader } from './people/conversation-reader.ts';
import type { People } from './people/people.ts';
import { createRights } from './people/rights.ts';
import { registerPlan } from './plan/register-plan.ts';
import { createPostCheck } from './posting/post-check.ts';
import type { SlackBudget } from './posting/slack-budget.ts';
import type { SlackClock } from './posting/slack-clock.ts';
import {
  createMessageLinkReader,
  createPermalinkReader,
  createSourceMarker,
} from './posting/source-message.ts';
import { registerPresets } from './presets/register-presets.ts';
import { registerPullRequest } from './pull-request/register-pull-request.ts';
import { routes } from './routes.ts';
import { registerRunAgain } from './run-again/run-again.ts';
import { registerRunDetails } from './run-details/register-run-details.ts';
import { registerRunList } from './run-list/register-run-list.ts';
import { registerRunMessage } from './run-message/register-run-message.ts';
import { createMessageReader, createThreadReader } from './runs/read-thread.ts';
import { createRunDoor } from './runs/run-door.ts';
import { createRunStarter } from './runs/run-start.ts';
import { registerSessionLink } from './session-link/register-session-link.ts';
import { registerSettings } from './settings/settings.ts';
import { registerGlobalShortcut } from './shortcuts/global-shortcut.ts';
import { registerMessageShortcut } from './shortcuts/message-shortcut.ts';
import { createDraftCleaner } from './start-run/draft-cleaner.ts';
import { registerStartRun } from './start-run/start-run.ts';
import { registerWorkflowStep } from './workflow-step/workflow-step.ts';

export type SlackAppParts = Omit<SlackConnectionParts, 'inbox'> & {
  store: Omit<Store, 'following'>;
  runs: RunsClient['runs'];
  environments: RunsClient['environments'];
  agents: RunsClient['agents'];
  artifacts: RunsClient['artifacts'];
  clock: SlackClock;
  people: People;
  /** With it, the service knows people as creators of runs. */
  readIdentity: ReadIdentity | undefined;
  budget: SlackBudget;
  limits: StartLimits;
  runLinkDomains: readonly string[];
  /** Called when a request is ready for the follower. */
  wake(): void;
};

/**
 * The Slack app with all features. `start()` waits for Slack until the signal aborts, and fails when Slack rejects a
 * token; `stop()` waits for running listeners.
 */
export function createSlackApp({ store, ...others }: SlackAppParts) {
  const inbox = new Inbox({ ...others, items: store.inbox });
  const parts = { ...others, ...store, inbox };
  const connection = createSlackConnection({ ...others, store, inbox });
  const { listeners, takeTurn, afterwards, sendPrivately, botUserId, teamId } = connection;

  const { people } = parts;
  const rights = createRights({ ...parts, people });
  const conversationReader = createConversationReader(parts);
  const noteConversation = conversationReader.note;
  const startRun = createRunStarter({ ...parts, rights, noteConversation });
  const door = createRunDoor({ ...parts, rights });
  const catalog = createRunCatalog(parts);
  const checkPosting = createPostCheck(parts.client);
  const markSource = createSourceMarker(parts.client);
  const readPermalink = createPermalinkReader(parts.client);
  const { readNames } = people;
  const readThread = createThreadReader(parts.client, readNames);
  const readMessageLink = createMessageLinkReader(readPermalink, parts.outbox);
  const asking = { people, rights, catalog, checkPosting, readPermalink, readMessageLink };
  const starting = { ...parts, ...asking, door, startRun, markSource, afterwards };
  const { openForm } = registerStartRun(listeners, starting);
  registerWorkflowStep(listeners, { ...starting, botUserId });
  const repeats = registerRunAgain(listeners, { ...starting, openForm });
  registerMention(listeners, {
    ...starting,
    openForm,
    openAgain: repeats.openAgain,
    readMessage: createMessageReader(parts.client),
    readThread,
    readNames,
    botUserId,
    teamId,
    help: helpText,
  });
  registerMessageShortcut(listeners, { openForm, readThread, readPermalink, readNames });
  registerGlobalShortcut(listeners, { openForm });
  const openSettings = registerSettings(listeners, { ...parts, people, rights, catalog });
  const openPresets = registerPresets(listeners, { ...parts, door, rights, catalog });
  const opening = { openForm, openSettings, openPresets };
  registerAgentCommand(listeners, { ...starting, ...opening, takeTurn });
  registerPullRequest(listeners, { ...parts, door });
  registerChanges(listeners, { ...parts, door });
  registerPlan(listeners, { ...parts, door });
  const { openDetails } = registerRunDetails(listeners, { door });
  registerRunMessage(listeners, { ...parts, ...repeats, door, openDetails });
  registerSessionLink(listeners, { ...parts, door, sendPrivately });
  const screen = registerHome(listeners, { ...parts, people, rights, catalog, openSettings });
  registerRunList(listeners, {
    ...repeats,
    door,
    openDetails,
    showHome: screen.show,
  });
  registerLinkUnfurl(listeners, { ...parts, rights, people });
  registerRunEntity(listeners, { ...parts, door, rights, people });
  const wakeReader = conversationReader.wake;
  registerConversationEvents(listeners, { ...parts, afterwards, wakeReader });
  const refresher = createHomeRefresher({ ...parts, screen });
  const digestPlanner = createDigestPlanner(parts);
  const draftCleaner = createDraftCleaner(parts);
  connection.complete(routes);

  return {
    async start(signal: AbortSignal): Promise<void> {
      const isConnected = await connection.start(signal, () => inbox.start());
      if (!isConnected) return;
      conversationReader.start();
      refresher.start();
      digestPlanner.start();
      draftCleaner.start();
    },
    stop: () =>
      connection.stop([conversationReader, digestPlanner, draftCleaner, refresher, inbox]),
  };
}
