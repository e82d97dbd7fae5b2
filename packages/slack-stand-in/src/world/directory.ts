import { newId } from '../lib/ids.ts';
import { ApiError } from '../web-api/api-error.ts';
import type { Channel, Installation, Message, Organization, Person, Team, World } from './world.ts';

/** Finds data in the world. Functions with a name that ends in `Of` throw if they find nothing. */

export function findPerson(world: World, id: string | undefined): Person | undefined {
  return world.people.find((person) => person.id === id);
}

export function personOf(world: World, id: string): Person {
  const person = findPerson(world, id);
  if (!person) throw new Error(`the local workspace has no person ${id}`);
  return person;
}

export function teamOf(world: World, id: string): Team {
  const team = world.teams.find((each) => each.id === id);
  if (!team) throw new Error(`the local workspace has no team ${id}`);
  return team;
}

export function findChannel(world: World, id: string | undefined): Channel | undefined {
  return world.channels.find((channel) => channel.id === id);
}

export function channelOf(world: World, id: string): Channel {
  const channel = findChannel(world, id);
  if (!channel) throw new Error(`the local workspace has no channel ${id}`);
  return channel;
}

export function findMessage(world: World, channelId: string, ts: string): Message | undefined {
  return world.messages[channelId]?.find((message) => message.ts === ts);
}

/**
 * Returns true if the person can see the channel. Guests and strangers see only their own channels; everyone else also
 * sees public ones.
 */
export function canSee(channel: Channel, person: Person): boolean {
  if (channel.memberIds.includes(person.id)) return true;
  const isInside = isMemberOf(person, channel.teamId) && person.role !== 'guest';
  return channel.kind === 'public' && isInside;
}

/** Returns true if the person belongs to the workspace. People of an organization can be in several. */
export const isMemberOf = ({ teamId, moreTeamIds = [] }: Person, team: string): boolean =>
  teamId === team || moreTeamIds.includes(team);

export const organizationWith = (
  { organizations }: World,
  teamId: string,
): Organization | undefined => organizations.find(({ teamIds }) => teamIds.includes(teamId));

export function findInstallation(world: World, teamId: string): Installation | undefined {
  return world.installations.findLast((each) => each.teamId === teamId && each.status === 'active');
}

export function directChannel(world: World, first: string, second: string): Channel | undefined {
  return world.channels.find(
    ({ kind, memberIds }) =>
      kind === 'im' && memberIds.includes(first) && memberIds.includes(second),
  );
}

/** Returns true for the app's direct conversation with a person, if its messages are threads. */
function isDirectThreads(world: World, channel: Channel | undefined): boolean {
  if (!world.app.hasDirectThreads || channel?.kind !== 'im') return false;
  const bot = findInstallation(world, channel.teamId)?.botUserId;
  return bot !== undefined && channel.memberIds.includes(bot);
}

/**
 * Returns the thread of a message. In direct messages with an agent, a message outside a thread starts its own thread
 * (openclaw/openclaw#63840).
 */
export function namedThread(world: World, message: Message): string | undefined {
  const { ts, threadTs, channelId, visibleTo } = message;
  if (threadTs || visibleTo) return threadTs;
  return isDirectThreads(world, findChannel(world, channelId)) ? ts : undefined;
}

/** Returns true for ephemeral messages that people see only while the thread is open. */
export const isPassing = (world: World, { channelId, visibleTo, isAtCommand }: Message): boolean =>
  visibleTo !== undefined && !isAtCommand && isDirectThreads(world, findChannel(world, channelId));

/** Returns the kind of conversation in scope names, such as `channels` in `channels:read`. */
export function scopeFamily(channel: Channel): 'channels' | 'groups' | 'im' {
  if (channel.kind === 'im') return 'im';
  return channel.kind === 'private' ? 'groups' : 'channels';
}

/** Returns the teams that an installation's token works in. An organization's teams share one token. */
export function teamsReached(
  { installations }: World,
  { teamId, botToken, enterpriseId }: Installation,
): string[] {
  if (!enterpriseId) return [teamId];
  const others = installations.filter((each) => each.botToken === botToken);
  return others.filter(({ status }) => status === 'active').map((each) => each.teamId);
}

/** Returns the person with `teamId` as the team. Throws if they aren't a member of that team. */
export function seenIn(person: Person, teamId: string | undefined): Person {
  if (teamId === undefined || teamId === person.teamId) return person;
  if (!isMemberOf(person, teamId)) throw new Error(`${person.realName} isn't in ${teamId}`);
  return { ...person, teamId };
}

export function joinTeam(
  world: World,
  person: Person,
  { teamId, channelIds }: { teamId: string; channelIds: readonly string[] },
): void {
  if (!organizationWith(world, person.teamId)?.teamIds.includes(teamId))
    throw new Error(`${teamId} isn't in the organization of ${person.realName}`);
  person.moreTeamIds = [...(person.moreTeamIds ?? []), teamId];
  for (const id of channelIds) channelOf(world, id).memberIds.push(person.id);
}

/** Finds a conversation that the app can see. Throws `notFound` for private conversations that the app isn't in. */
export function channelForApp(
  world: World,
  installation: Installation,
  id: string,
  notFound = 'channel_not_found',
): Channel {
  const channel = findChannel(world, id);
  if (!channel || !teamsReached(world, installation).includes(channel.teamId))
    throw new ApiError(notFound);
  const isIn = channel.memberIds.includes(installation.botUserId);
  if (channel.kind !== 'public' && !isIn) throw new ApiError(notFound);
  return channel;
}

/**
 * Finds a conversation in which the app may post. `U…` means the direct channel with that person, `#name` a public
 * channel.
 */
export function channelToPostIn(
  world: World,
  installation: Installation,
  idOrName: string,
): Channel {
  const person = findPerson(world, idOrName);
  if (person) return openDirect(world, installation, person.id);
  const name = idOrName.startsWith('#') ? idOrName.slice(1) : undefined;
  const byName = world.channels.find(
    (each) => name && each.name === name && each.teamId === installation.teamId,
  );
  const channel = channelForApp(world, installation, byName?.id ?? idOrName);
  if (channel.isArchived) throw new ApiError('is_archived');
  const canPostAnywhere = installation.scopes.includes('chat:write.public');
  const isIn = channel.memberIds.includes(installation.botUserId);
  if (!isIn && !canPostAnywhere) throw new ApiError('not_in_channel');
  return channel;
}

/** Returns the direct channel of the app and a person, created if it's missing. */
export function openDirect(world: World, installation: Installation, userId: string): Channel {
  const existing = directChannel(world, installation.botUserId, userId);
  if (existing) return existing;
  const person = findPerson(world, userId);
  const meets = world.channels.some(
    ({ teamId, memberIds }) => teamId === installation.teamId && memberIds.includes(userId),
  );
  if (!person || !meets || person.role === 'bot') throw new ApiError('user_not_found');
  const channel = newDirectChannel(installation.teamId, installation.botUserId, userId);
  world.channels.push(channel);
  return channel;
}

export function newDirectChannel(teamId: string, creatorId: string, otherId: string): Channel {
  return {
    id: newId('D'),
    teamId,
    kind: 'im',
    name: '',
    topic: '',
    purpose: '',
    creatorId,
    createdSeconds: Math.floor(Date.now() / 1000),
    memberIds: [creatorId, otherId],
    isArchived: false,
    isShared: false,
  };
}

/** Returns all messages of a conversation or of one thread, including ephemeral ones. */
export function messagesIn({ messages }: World, channelId: string, thread?: string): Message[] {
  const all = messages[channelId] ?? [];
  if (!thread) return [...all];
  return all.filter(({ ts, threadTs }) => ts === thread || threadTs === thread);
}
