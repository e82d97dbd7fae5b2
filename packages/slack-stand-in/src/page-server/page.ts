import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { WebSocket } from 'ws';
import type { Traffic } from '../deliveries/traffic.ts';
import { newDirectChannel } from '../installing/installing.ts';
import type { Changes } from '../lib/changes.ts';
import type { AppManifest } from '../manifest.ts';
import { drawPicture } from '../payloads/picture.ts';
import type { Actor } from '../people/actor.ts';
import type { AgentSessions } from '../world/agent-sessions.ts';
import { directChannel, findPerson, personOf } from '../world/directory.ts';
import type { World } from '../world/world.ts';
import { entriesFor } from './page-entries.ts';
import type { Welcome } from './page-entry.ts';
import { PageFeed } from './page-feed.ts';
import { performAction } from './page-perform.ts';
import { createPageRoutes } from './page-routes.ts';
import { createTrafficEntries } from './page-traffic.ts';

type Parts = {
  world: World;
  manifest: AppManifest;
  changes: Changes;
  traffic: Traffic;
  sessions: AgentSessions;
  as: (personId: string) => Actor;
  folder?: URL | undefined;
  welcome?: Welcome | undefined;
};

/** The workspace in a browser: HTTP routes and a feed. */
export function createPage(parts: Parts) {
  const { world, changes } = parts;
  const source = { ...parts, trafficEntryOf: createTrafficEntries() };
  const token = randomBytes(24).toString('base64url');
  const isToken = (given: string) => {
    const [one, two] = [Buffer.from(given), Buffer.from(token)];
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
      folder: parts.folder ?? builtFolder(),
      drawPicture: (personId) => {
        const person = findPerson(world, personId);
        return person && drawPicture(person);
      },
      perform: async (person, action) => {
        const openDirect = (withPerson: string) => directChannelWith(parts, person, withPerson);
        return await performAction(parts.as(person), action, { openDirect });
      },
    }),
    accept: (socket: WebSocket) => feed.accept(socket),
    stop: () => feed.stop(),
  };
}

/** The direct conversation of two people, created on first use. */
function directChannelWith({ world, changes }: Parts, person: string, withPerson: string): string {
  const known = directChannel(world, person, withPerson);
  if (known) return known.id;
  const { teamId } = personOf(world, person);
  const channel = newDirectChannel(teamId, person, personOf(world, withPerson).id);
  world.channels.push(channel);
  changes.emit({ type: 'channel', channelId: channel.id });
  return channel.id;
}

/** Next to this file after the build; in `dist` if this runs from source. */
function builtFolder(): URL {
  const sibling = new URL('../page/', import.meta.url);
  const isBuilt = existsSync(new URL('main.js', sibling));
  return isBuilt ? sibling : new URL('../../dist/page/', import.meta.url);
}
