import { validateView } from './block-kit/validate-view.ts';
import { AppEvents } from './deliveries/app-events.ts';
import { Deliveries, type DeliverTo, slackRetryDelaysMs } from './deliveries/deliveries.ts';
import { slackAckWithinMs } from './deliveries/delivery.ts';
import { ResponseUrls } from './deliveries/response-urls.ts';
import { SocketMode } from './deliveries/socket-mode.ts';
import { createTraffic, type Traffic } from './deliveries/traffic.ts';
import { createTriggers } from './deliveries/triggers.ts';
import { Flexpanes } from './entities/flexpanes.ts';
import { FaultQueue } from './faults/faults.ts';
import { Installations } from './installing/installations.ts';
import { OAuth } from './installing/oauth.ts';
import { Organizations } from './installing/organizations.ts';
import { type Changes, createChanges } from './lib/changes.ts';
import { createClock } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import type { AppManifest } from './manifest.ts';
import type { Welcome } from './page-server/page-entry.ts';
import type { ActorParts } from './people/actor.ts';
import { createComposerPreviews } from './people/composer-previews.ts';
import { Interactions } from './people/interactions.ts';
import { createMessageInputs } from './people/message-inputs.ts';
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
  /** Standard error by default. */
  logger?: Logger;
  /** On 127.0.0.1; a free port by default. */
  port?: number;
  /** Keeps trigger ids valid, for people who take their time. */
  keepTriggers?: boolean;
  enforceRateLimits?: boolean;
  /**
   * Whether an update that takes out the last rich text is refused if Slack made that of markdown. True by default: it
   * isn't known of Slack, and this is the harder reading.
   */
  blockMismatchAfterMarkdown?: boolean;
  deliverTo?: DeliverTo;
  /** The folder of the page's bundle, if it isn't the build's. */
  pageFolder?: URL;
  /** How long the app may take to acknowledge, and to use a trigger id; Slack's three seconds by default. */
  ackWithinMs?: number;
  /** When events are retried; Slack's schedule by default. */
  retryDelaysMs?: readonly number[];
  /** Further teams that the app can be installed in by OAuth: `T06TEAM0001` and so on. */
  moreTeams?: number;
  /** How many of those are workspaces of one organization, `E07STARSHIP`. */
  inOrganization?: number;
  /** Optional scopes that weren't granted when the app was installed. */
  leftOut?: readonly string[];
  /**
   * The first team is in the organization too, and the app starts installed for that. It's in none of its workspaces until
   * `giveTeams`.
   */
  forOrganization?: boolean;
  /** Shown in empty channels. */
  welcome?: Welcome;
  /** Keeps messages, Home tabs and installations for the next start. */
  stateFile?: string;
};

/** Makes the parts of the workspace and connects them. */
export function createWorkspaceParts(
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
  const delivering = { options, world, changes, traffic, faults, ackWithinMs };
  const { socketMode, deliveries } = createDeliveries(delivering);
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
  const interacting = { world, clock, deliveries, triggers, responseUrls, isInteractive };
  const interactions = new Interactions(interacting);
  /** Messages that can no longer be edited, as `channel:ts`. */
  const closedForEdits = new Set<string>();
  const actorParts: ActorParts = {
    world,
    manifest,
    clock,
    log,
    files,
    views,
    interactions,
    events,
    membership,
    composerPreviews,
    flexpanes,
    triggers,
    sessions,
    messageInputs: createMessageInputs(),
    readings,
    checkView: (view) => validateView(view, { types: ['modal'] }).map(({ message }) => message),
  };
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
    actorParts,
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

type Delivering = {
  options: LocalWorkspaceOptions;
  world: World;
  changes: Changes;
  traffic: Traffic;
  faults: FaultQueue;
  ackWithinMs: number;
};

function createDeliveries({ options, changes, ackWithinMs, ...parts }: Delivering) {
  const { retryDelaysMs = slackRetryDelaysMs, deliverTo: target = { mode: 'socket' } } = options;
  const socketMode = new SocketMode({ changes, appId: parts.world.app.id, ackWithinMs });
  const sending = { ...parts, socketMode, retryDelaysMs, ackWithinMs, target };
  return { socketMode, deliveries: new Deliveries(sending) };
}

export type WorkspaceParts = ReturnType<typeof createWorkspaceParts>;
