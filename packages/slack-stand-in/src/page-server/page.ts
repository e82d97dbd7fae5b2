import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { WebSocket } from 'ws';
import type { Exchange } from '../deliveries/traffic.ts';
import type { Changes } from '../lib/changes.ts';
import { isObject } from '../lib/json.ts';
import { drawPicture } from '../payloads/user.ts';
import type { Actor } from '../people/actor.ts';
import type { Workspace } from '../workspace.ts';
import { directChannel, findPerson, newDirectChannel, personOf } from '../world/directory.ts';
import type { World } from '../world/world.ts';
import { entriesFor } from './page-entries.ts';
import type { TrafficEntry, Welcome } from './page-entry.ts';
import { PageFeed } from './page-feed.ts';
import { performAction } from './page-perform.ts';
import { createPageRoutes } from './page-routes.ts';

type PageOptions = {
  as: (personId: string) => Actor;
  /** Folder that contains the page's bundle. */
  folder?: URL | undefined;
  welcome?: Welcome | undefined;
};

/** Serves the workspace to browsers, with HTTP routes and a feed. */
export function createPage(
  { world, manifest, changes, traffic, sessions }: Workspace,
  { as, folder = builtFolder(), welcome }: PageOptions,
) {
  const trafficEntryOf = createTrafficEntries();
  const source = { world, manifest, traffic, sessions, as, welcome, trafficEntryOf };
  const token = randomBytes(24).toString('base64url');
  const isToken = (input: string) => {
    const [one, two] = [Buffer.from(input), Buffer.from(token)];
    return one.length === two.length && timingSafeEqual(one, two);
  };
  const feed = new PageFeed({
    changes,
    isToken,
    entriesFor: (id) => {
      const person = findPerson(world, id);
      return person && entriesFor(source, person);
    },
  });
  return {
    routes: createPageRoutes({
      token,
      isToken,
      firstPerson: world.people[0]?.id ?? '',
      folder,
      drawPicture: (personId) => {
        const person = findPerson(world, personId);
        return person && drawPicture(person);
      },
      perform: async (person, action) => {
        const openDirect = (withPerson: string) =>
          directChannelWith({ world, changes }, person, withPerson);
        return await performAction(as(person), action, { openDirect });
      },
    }),
    accept: (socket: WebSocket) => feed.accept(socket),
    stop: () => feed.stop(),
  };
}

/** Returns the ID of the direct conversation of two people. Creates the conversation on first use. */
function directChannelWith(
  { world, changes }: { world: World; changes: Changes },
  person: string,
  withPerson: string,
): string {
  const existing = directChannel(world, person, withPerson);
  if (existing) return existing.id;
  const { teamId } = personOf(world, person);
  const channel = newDirectChannel(teamId, person, personOf(world, withPerson).id);
  world.channels.push(channel);
  changes.emit({ type: 'channel', channelId: channel.id });
  return channel.id;
}

/**
 * Returns the folder of the built page. It's next to this file after the build, or in `dist` if this file runs from
 * source.
 */
function builtFolder(): URL {
  const sibling = new URL('../page/', import.meta.url);
  const isBuilt = existsSync(new URL('main.js', sibling));
  return isBuilt ? sibling : new URL('../../dist/page/', import.meta.url);
}

/**
 * Creates a function that returns the inspector's entry for an exchange. Each entry is created only once, because
 * exchanges don't change.
 */
function createTrafficEntries(): (exchange: Exchange) => TrafficEntry {
  const made = new WeakMap<Exchange, TrafficEntry>();
  return (exchange) => {
    const entry = made.get(exchange) ?? trafficEntry(exchange);
    made.set(exchange, entry);
    return entry;
  };
}

function trafficEntry(exchange: Exchange): TrafficEntry {
  const { id, at, direction, name, request, answer, durationMs } = exchange;
  const outcome = direction === 'delivery' ? deliveryOutcome(answer) : callOutcome(answer);
  return {
    kind: 'traffic',
    id,
    atMs: Date.parse(at),
    direction: direction === 'delivery' ? 'out' : 'in',
    name: direction === 'delivery' ? deliveryName(name, request) : name,
    ...outcome,
    durationMs,
    request,
    answer,
  };
}

type TrafficOutcome = Pick<TrafficEntry, 'outcome' | 'isFailure'>;

function callOutcome(answer: unknown): TrafficOutcome {
  const error = isObject(answer) && typeof answer['error'] === 'string' ? answer['error'] : 'ok';
  return { outcome: error, isFailure: error !== 'ok' };
}

function deliveryOutcome(answer: unknown): TrafficOutcome {
  if (isObject(answer) && answer['acked'] === true) return { outcome: 'acked', isFailure: false };
  return { ...callOutcome(answer), isFailure: true };
}

/** Returns a delivery's name for the inspector, such as `/agent`, `block_actions` or `app_mention`. */
function deliveryName(kind: string, request: unknown): string {
  if (!isObject(request)) return kind;
  if (kind === 'slash_commands') return String(request['command'] ?? kind);
  const event = request['event'];
  const type = isObject(event) ? event['type'] : request['type'];
  return typeof type === 'string' ? type : kind;
}
