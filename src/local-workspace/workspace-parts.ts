import type { Logger } from '../lib/logger.ts';
import type { ActorParts } from './actor.ts';
import { AppEvents } from './app-events.ts';
import { blockKitValidation } from './block-kit/block-kit-validation.ts';
import { createChanges } from './changes.ts';
import { Deliveries, type DeliverTo, slackRetryDelaysMs } from './deliveries.ts';
import { FaultDesk } from './faults.ts';
import { createClock } from './ids.ts';
import { Interactions } from './interactions.ts';
import type { AppManifest } from './manifest.ts';
import { MessageLog } from './message-log.ts';
import { ResponseUrls } from './response-urls.ts';
import { SocketMode } from './socket-mode.ts';
import { createTraffic } from './traffic.ts';
import { createTriggers } from './triggers.ts';
import { Views } from './views.ts';
import type { World } from './world.ts';

export type LocalWorkspaceOptions = {
  manifest: AppManifest;
  logger: Logger;
  /** 0 takes a free one. Always on 127.0.0.1. */
  port?: number;
  /** Trigger ids do not expire: for people, who read before they click. */
  patient?: boolean;
  enforceRateLimits?: boolean;
  deliverTo?: DeliverTo;
  /** Where the page's bundle lies, if not where the build puts it. */
  pageFolder?: URL;
  /** When an event is tried again; Slack's own schedule by default. */
  retryDelaysMs?: readonly number[];
};

/** Makes the parts of the workspace and joins them; nothing of them runs yet. */
export function createWorkspaceParts(
  options: LocalWorkspaceOptions,
  world: World,
  baseUrl: () => string,
) {
  const { manifest } = options;
  const newest = Object.values(world.messages).flatMap((log) => log.at(-1)?.ts ?? []);
  const clock = createClock(newest.toSorted().at(-1));
  const changes = createChanges();
  const traffic = createTraffic(changes);
  const faults = new FaultDesk();
  const validation = blockKitValidation;
  const socketMode = new SocketMode({ changes, appId: world.app.id });
  const retryDelaysMs = options.retryDelaysMs ?? slackRetryDelaysMs;
  const target = options.deliverTo ?? { mode: 'socket' };
  const sending = { world, socketMode, traffic, faults };
  const deliveries = new Deliveries({ ...sending, retryDelaysMs, target });
  const events = new AppEvents({ world, manifest, deliveries });
  const unfurlDomains = manifest.features.unfurl_domains;
  const log = new MessageLog({ world, changes, clock, events, unfurlDomains });
  const views = new Views({ world, changes });
  const triggers = createTriggers({ patient: options.patient ?? false });
  const responseUrls = new ResponseUrls({ world, log, traffic, validation, baseUrl });
  const interactions = new Interactions({ world, clock, deliveries, triggers, responseUrls });
  /** Messages that may not be edited any more, as `channel:ts`. */
  const closedForEdits = new Set<string>();
  const actorParts: ActorParts = {
    ...{ world, manifest, clock, changes, log, views, interactions, events },
    checkView: (view) =>
      validation.view(view).map(({ message, pointer }) => `${message} (${pointer})`),
  };
  return {
    ...{ world, manifest, clock, changes, traffic, faults, validation, socketMode, deliveries },
    ...{ events, log, views, triggers, responseUrls, interactions, closedForEdits, actorParts },
    baseUrl,
  };
}

export type WorkspaceParts = ReturnType<typeof createWorkspaceParts>;
