import { newDirectChannel } from '../installing/installing.ts';
import { ApiError } from '../web-api/api-error.ts';
import { directChannel, findChannel, findPerson, teamsReached } from './directory.ts';
import type { Channel, Installation, World } from './world.ts';

/** A conversation that the app can see. Private ones that it isn't in don't exist for it. */
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

/** Where the app may post. `U…` means the direct channel, `#name` a public one. */
export function channelToPostIn(world: World, installation: Installation, given: string): Channel {
  const person = findPerson(world, given);
  if (person) return openDirect(world, installation, person.id);
  const name = given.startsWith('#') ? given.slice(1) : undefined;
  const byName = world.channels.find(
    (each) => name && each.name === name && each.teamId === installation.teamId,
  );
  const channel = channelForApp(world, installation, byName?.id ?? given);
  if (channel.isArchived) throw new ApiError('is_archived');
  const mayPostAnywhere = installation.scopes.includes('chat:write.public');
  const isIn = channel.memberIds.includes(installation.botUserId);
  if (!isIn && !mayPostAnywhere) throw new ApiError('not_in_channel');
  return channel;
}

/** The direct channel of the app and a person, created if missing. */
export function openDirect(world: World, installation: Installation, userId: string): Channel {
  const known = directChannel(world, installation.botUserId, userId);
  if (known) return known;
  const person = findPerson(world, userId);
  const meets = world.channels.some(
    ({ teamId, memberIds }) => teamId === installation.teamId && memberIds.includes(userId),
  );
  if (!person || !meets || person.role === 'bot') throw new ApiError('user_not_found');
  const channel = newDirectChannel(installation.teamId, installation.botUserId, userId);
  world.channels.push(channel);
  return channel;
}
