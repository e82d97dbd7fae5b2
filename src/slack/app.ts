import type { Server } from 'node:http';
import { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RunsClient } from 'runs-client';
import type { SlackDelivery } from '../config.ts';
import type { Logger } from '../lib/logger.ts';
import type { Deliveries } from '../store/inbox/deliveries.ts';
import type { Mentions } from '../store/inbox/mentions.ts';
import type { WorkflowWaits } from '../store/inbox/workflow-waits.ts';
import type { Digests } from '../store/outbox/digests.ts';
import type { Drafts } from '../store/people/drafts.ts';
import type { HomeViews } from '../store/people/home-views.ts';
import type { RunCreators } from '../store/people/run-creators.ts';
import type { Settings } from '../store/people/settings.ts';
import type { Submissions } from '../store/people/submissions.ts';
import type { StartLimits } from '../store/requests/accept-request.ts';
import type { ChannelRequests } from '../store/requests/channel-requests.ts';
import type { RequestList } from '../store/requests/request-list.ts';
import type { RequestLookup } from '../store/requests/request-lookup.ts';
import type { RequestMarks } from '../store/requests/request-marks.ts';
import type { RequestWatchers } from '../store/requests/request-watchers.ts';
import type { Requests } from '../store/requests/requests.ts';
import { helpText } from './agent-command/command-answers.ts';
import { registerAgentCommand } from './agent-command/register-agent-command.ts';
import { createRunCatalog } from './configuration/run-catalog.ts';
import { answerEveryDelivery } from './connection/answer-deliveries.ts';
import { answerFailures } from './connection/answer-failures.ts';
import { createBoltLogger } from './connection/bolt-logger.ts';
import { registerErrorHandler } from './connection/error-handler.ts';
import { registerInstallationEvents } from './connection/installation-events.ts';
import { createListeners } from './connection/listeners.ts';
import { expectLostAcknowledgements } from './connection/lost-acknowledgements.ts';
import { readIdentity } from './connection/read-identity.ts';
import { createReceivers, startReceivers } from './connection/receivers.ts';
import { ignoreRepeatedDeliveries } from './connection/repeated-deliveries.ts';
import { watchWork } from './connection/running-work.ts';
import type { TokenWatch } from './connection/token-watch.ts';
import { listenerClientOptions } from './connection/web-client.ts';
import { createDigestSender } from './digest/digest-sender.ts';
import { registerHome } from './home/home.ts';
import { createHomeRefresher } from './home/home-refresher.ts';
import { registerLinkUnfurl } from './link-unfurl/register-link-unfurl.ts';
import { registerMention } from './mention/register-mention.ts';
import { createPeople } from './people/people.ts';
import { createNameReader } from './people/people-names.ts';
import { createRights } from './people/rights.ts';
import { createPostCheck } from './posting/post-check.ts';
import { createPrivateSender } from './posting/send-privately.ts';
import type { SlackBudget } from './posting/slack-budget.ts';
import type { SlackClock } from './posting/slack-clock.ts';
import { createPermalinkReader, createSourceMarker } from './posting/source-message.ts';
import { registerPresets } from './presets/register-presets.ts';
import { routes } from './routes.ts';
import { registerRunAgain } from './run-again/run-again.ts';
import { registerRunDetails } from './run-details/register-run-details.ts';
import { registerRunList } from './run-list/register-run-list.ts';
import { registerRunMessage } from './run-message/register-run-message.ts';
import { createRunReader } from './runs/read-run.ts';
import { createMessageReader, createThreadReader } from './runs/read-thread.ts';
import { createRunStarter } from './runs/run-start.ts';
import { registerSettings } from './settings/settings.ts';
import { registerGlobalShortcut } from './shortcuts/global-shortcut.ts';
import { registerMessageShortcut } from './shortcuts/message-shortcut.ts';
import { registerStartRun } from './start-run/start-run.ts';
import { registerWorkflowStep } from './workflow-step/workflow-step.ts';

export type SlackAppParts = {
  botToken: string;
  apiUrl: string;
  client: WebClient;
  clock: SlackClock;
  tokenWatch: TokenWatch;
  budget: SlackBudget;
  delivery: SlackDelivery;
  /** HTTP mode: a server that is already listening. */
  server?: Server | undefined;
  /** Aborts when a stop no longer waits for Slack. */
  stopping: AbortSignal;
  requests: Requests;
  lookup: RequestLookup;
  limits: StartLimits;
  marks: RequestMarks;
  list: RequestList;
  views: HomeViews;
  creators: RunCreators;
  runLinkDomains: readonly string[];
  watchers: RequestWatchers;
  settings: Settings;
  digests: Digests;
  channelRequests: ChannelRequests;
  drafts: Drafts;
  submissions: Submissions;
  mentions: Mentions;
  waits: WorkflowWaits;
  deliveries: Deliveries;
  runs: RunsClient['runs'];
  environments: RunsClient['environments'];
  agents: RunsClient['agents'];
  /** Called for every delivery. Background work pauses during a burst of them. */
  requestArrived(): void;
  yieldToRequests(): Promise<void>;
  /** Called when a request is ready for the follower. */
  wake(): void;
  logger: Logger;
};

type Identity = { teamId: string; botId: string; botUserId: string };

/** Bolt without listeners. The identity is known once the app has started. */
function createBolt(parts: SlackAppParts, identity: () => Identity | undefined) {
  const logger = createBoltLogger(parts.logger);
  const receivers = createReceivers({ ...parts, logger });
  const app = new App({
    receiver: receivers[0],
    logger,
    authorize: async () => ({ botToken: parts.botToken, ...identity() }),
    clientOptions: listenerClientOptions(parts.apiUrl, parts.stopping),
    extendedErrorHandler: true,
    // Otherwise Bolt keeps state for every conversation, for a feature that the app doesn't use.
    convoStore: false,
  });
  for (const other of receivers.slice(1)) other.init(app);
  return { app, receivers };
}

/**
 * Bolt with all features. `start()` waits for Slack until the signal aborts, and fails when Slack rejects a token;
 * `stop()` waits for running listeners.
 */
export function createSlackApp(parts: SlackAppParts) {
  let identity: Identity | undefined;
  const { app, receivers } = createBolt(parts, () => identity);

  const { takeTurn, afterwards, untilDone } = watchWork(app, parts);
  answerFailures(app, parts.logger);
  ignoreRepeatedDeliveries(app, parts);
  const sendPrivately = createPrivateSender(parts.client, parts.logger);
  registerErrorHandler(app, parts.logger, sendPrivately);
  const listeners = createListeners(app);

  const people = createPeople(parts.client);
  const rights = createRights({ ...parts, people });
  const startRun = createRunStarter({ ...parts, rights });
  const readRun = createRunReader(parts);
  const catalog = createRunCatalog(parts);
  const checkPosting = createPostCheck(parts.client);
  const markSource = createSourceMarker(parts.client);
  const readPermalink = createPermalinkReader(parts.client);
  const readNames = createNameReader(people);
  const readThread = createThreadReader(parts.client, readNames);
  const asking = { people, rights, catalog, checkPosting, readPermalink };
  const starting = { ...parts, ...asking, startRun, markSource, afterwards };
  const { openForm } = registerStartRun(listeners, starting);
  const botUserId = () => identity?.botUserId ?? '';
  registerInstallationEvents(listeners, { ...parts, botUserId });
  const stepFinisher = registerWorkflowStep(listeners, { ...starting, botUserId });
  const repeats = registerRunAgain(listeners, { ...starting, readRun, openForm });
  const inbox = registerMention(listeners, {
    ...starting,
    openForm,
    openAgain: repeats.openAgain,
    readMessage: createMessageReader(parts.client),
    readThread,
    readNames,
    botUserId,
    help: helpText,
  });
  registerMessageShortcut(listeners, { openForm, readThread, readPermalink, readNames });
  registerGlobalShortcut(listeners, { openForm });
  const openSettings = registerSettings(listeners, { ...parts, people, rights, catalog });
  const openPresets = registerPresets(listeners, { ...parts, rights, catalog });
  const opening = { openForm, openSettings, openPresets };
  registerAgentCommand(listeners, { ...starting, ...opening, takeTurn });
  registerRunMessage(listeners, { ...parts, ...repeats, rights });
  const { openDetails } = registerRunDetails(listeners, { ...parts, readRun });
  const screen = registerHome(listeners, { ...parts, people, rights, catalog, openSettings });
  registerRunList(listeners, {
    ...repeats,
    rights,
    readRun,
    openDetails,
    showHome: screen.show,
  });
  registerLinkUnfurl(listeners, { ...parts, rights, people });
  const refresher = createHomeRefresher({ ...parts, screen });
  const digestSender = createDigestSender({ ...parts, readNames });
  listeners.assertRoutes(routes);
  answerEveryDelivery(app, { ...parts, listeners, afterwards, sendPrivately });
  expectLostAcknowledgements(app, parts.logger);

  return {
    async start(signal: AbortSignal): Promise<void> {
      const waiting = { signal, logger: parts.logger };
      const me = await readIdentity(parts.client, waiting);
      if (!me) return;
      identity = { teamId: me.team_id ?? '', botId: me.bot_id ?? '', botUserId: me.user_id ?? '' };
      inbox.start();
      stepFinisher.start();
      await startReceivers(receivers, waiting);
      if (signal.aborted) return;
      refresher.start();
      digestSender.start();
      parts.logger.info({ team: me.team, teamId: me.team_id }, 'Connected to Slack');
    },
    async stop(): Promise<void> {
      const loops = [digestSender, refresher, inbox, stepFinisher];
      await Promise.all([...receivers, ...loops].map((each) => each.stop()));
      await untilDone();
    },
  };
}
