import { validateView } from './block-kit/validate-view.ts';
import { AppEvents } from './deliveries/app-events.ts';
import { Deliveries, type DeliverTo, slackRetryDelaysMs } from './deliveries/deliveries.ts';
import { slackAckWithinMs } from './deliveries/delivery.ts';
import { ResponseUrls } from './deliveries/response-urls.ts';
import { SocketMode } from './deliveries/socket-mode.ts';
import { createTraffic } from './deliveries/traffic.ts';
import { createTriggers } from './deliveries/triggers.ts';
import { Flexpanes } from './entities/flexpanes.ts';
import { FaultQueue } from './faults/faults.ts';
import { Installations, Organizations } from './installing/installations.ts';
import { OAuth } from './installing/oauth.ts';
import { createChanges } from './lib/changes.ts';
import { createClock } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import type { AppManifest } from './manifest.ts';
import type { Welcome } from './page-server/page-entry.ts';
import type { ActorDeps } from './people/actor.ts';
import { createComposerPreviews } from './people/composer-previews.ts';
import { createMessageInputs } from './people/element-acts.ts';
import { Interactions } from './people/interactions.ts';
import { chooseReadings, type ReadingOptions } from './readings.ts';
import { AgentSessions } from './world/agent-sessions.ts';
import { Files } from './world/files.ts';
import { Membership } from './world/membership.ts';
import { MessageLog } from './world/message-log.ts';
import { Views } from './world/views.ts';
import { WorkflowSteps } from './world/workflow-steps.ts';
import type { World } from './world/world.ts';

export type LocalWorkspaceOptions = ReadingOptions & {
  manifest: AppManifest;
  /** Logger for problems of the stand-in; standard error by default. */
  logger?: Logger;
  /** Port on 127.0.0.1; a free one by default. */
  port?: number;
  /** Keeps trigger IDs valid without a time limit, because people at the page may be slow. */
  keepTriggers?: boolean;
  enforceRateLimits?: boolean;
  /**
   * Rejects an update that removes the last rich text, even if Slack made that rich text from markdown. Slack doesn't
   * document this, so the default is true, which is stricter.
   */
  blockMismatchAfterMarkdown?: boolean;
  deliverTo?: DeliverTo;
  /** Folder of the page's bundle; the build's folder by default. */
  pageFolder?: URL;
  /** Time for the app to acknowledge and to use a trigger ID, in ms; Slack's three seconds by default. */
  ackWithinMs?: number;
  /** Delays before events are retried, in ms; Slack's schedule by default. */
  retryDelaysMs?: readonly number[];
  /** Number of further teams in which the app can be installed by OAuth: `T06TEAM0001` and so on. */
  moreTeams?: number;
  /** Number of the further teams that belong to one organization, `E07STARSHIP`. */
  inOrganization?: number;
  /** Optional scopes that weren't granted when the app was installed. */
  leftOut?: readonly string[];
  /**
   * True to put the first team into the organization and install the app in the organization. The app is in none of its
   * workspaces until `giveTeams` is called.
   */
  forOrganization?: boolean;
  /** Welcome text of the page's empty channels. */
  welcome?: Welcome;
  /** File that keeps messages, Home tabs and installations for the next start. */
  stateFile?: string;
};

/** Creates the components of the simulated workspace and connects them. */
export function createWorkspace(
  options: LocalWorkspaceOptions,
  world: World,
  baseUrl: () => string,
) {
  const { manifest } = options;
  const readings = chooseReadings(options, manifest);
  world.app.hasDirectThreads = readings.directThreads;
  const newest = Object.values(world.messages).flatMap((log) => log.at(-1)?.ts ?? []);
  const clock = createClock(newest.toSorted().at(-1));
  const changes = createChanges();
  const traffic = createTraffic(changes);
  const faults = new FaultQueue();
  const { ackWithinMs = slackAckWithinMs, keepTriggers = false } = options;
  const socketMode = new SocketMode({ changes, appId: world.app.id, ackWithinMs });
  const deliveries = new Deliveries({
    world,
    socketMode,
    traffic,
    faults,
    retryDelaysMs: options.retryDelaysMs ?? slackRetryDelaysMs,
    ackWithinMs,
    target: options.deliverTo ?? { mode: 'socket' },
  });
  const events = new AppEvents({ world, manifest, deliveries });
  const unfurlDomains = manifest.features.unfurl_domains;
  const log = new MessageLog({ world, changes, clock, events, unfurlDomains });
  const composerPreviews = createComposerPreviews({ world, clock, events, unfurlDomains });
  const files = new Files({ world, changes, baseUrl });
  const installations = new Installations({ world, manifest, changes, clock, events });
  const organizations = new Organizations({ world, deliveries, installations });
  const oauth = new OAuth({ world, manifest, installations, organizations });
  const workflowSteps = new WorkflowSteps({ world, manifest, changes, clock, events, readings });
  const sessions = new AgentSessions({ world, manifest, changes, clock, events });
  const membership = new Membership({ world, changes, clock, events, log });
  const views = new Views({ world, changes });
  const triggers = createTriggers({ keepTriggers, validMs: ackWithinMs });
  const flexpanes = new Flexpanes({ changes });
  const responseUrls = new ResponseUrls({ world, log, traffic, baseUrl });
  const { is_enabled: isInteractive = false } = manifest.settings.interactivity ?? {};
  const interactions = new Interactions({
    world,
    clock,
    deliveries,
    triggers,
    responseUrls,
    isInteractive,
  });
  /** Messages that can't be edited anymore, as `channel:ts`. */
  const closedForEdits = new Set<string>();
  return {
    world,
    manifest,
    clock,
    changes,
    traffic,
    faults,
    socketMode,
    deliveries,
    events,
    log,
    files,
    views,
    flexpanes,
    triggers,
    responseUrls,
    interactions,
    closedForEdits,
    blockMismatchAfterMarkdown: options.blockMismatchAfterMarkdown ?? true,
    messageInputs: createMessageInputs(),
    sessions,
    membership,
    installations,
    organizations,
    oauth,
    workflowSteps,
    readings,
    unfurlDomains,
    baseUrl,
    composerPreviews,
  };
}

export type Workspace = ReturnType<typeof createWorkspace>;

/** Returns the dependencies of a person's actions in Slack's client. */
export function actorDepsOf(workspace: Workspace): ActorDeps {
  return {
    world: workspace.world,
    manifest: workspace.manifest,
    clock: workspace.clock,
    log: workspace.log,
    files: workspace.files,
    views: workspace.views,
    interactions: workspace.interactions,
    events: workspace.events,
    membership: workspace.membership,
    composerPreviews: workspace.composerPreviews,
    flexpanes: workspace.flexpanes,
    triggers: workspace.triggers,
    sessions: workspace.sessions,
    messageInputs: workspace.messageInputs,
    readings: workspace.readings,
    baseUrl: workspace.baseUrl,
    checkView: (view) => validateView(view, { types: ['modal'] }).map(({ message }) => message),
  };
}
