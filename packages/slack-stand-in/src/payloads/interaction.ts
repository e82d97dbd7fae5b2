import type { JsonObject } from '../lib/json.ts';
import {
  findInstallation,
  isMemberOf,
  organizationWith,
  personOf,
  teamOf,
} from '../world/directory.ts';
import type { Message, Person, World } from '../world/world.ts';
import { messagePayload } from './message.ts';

/**
 * Returns the fields that all interactions share. `team` is the team in which the person acts. For a person from
 * another company, it's the person's home team. For an app that is installed in the whole organization, it's null.
 * @param teamId team in which the person acts
 */
export function interactionBase(world: World, personId: string, teamId: string) {
  const person = personOf(world, personId);
  const { id, domain } = teamOf(world, isMemberOf(person, teamId) ? teamId : person.teamId);
  const isWhole = findInstallation(world, teamId)?.enterpriseId !== undefined;
  return {
    team: isWhole ? null : { id, domain },
    user: userPart(person),
    api_app_id: world.app.id,
    token: world.app.verificationToken,
    enterprise: organizationOf(world, teamId),
    is_enterprise_install: isWhole,
  };
}

/** Returns the organization that this team belongs to. */
function organizationOf(world: World, teamId: string) {
  const organization = organizationWith(world, teamId);
  return organization ? { id: organization.id, name: organization.name } : null;
}

/** Returns the field `user` of an interaction. Its `team_id` is the same in all workspaces of the person. */
function userPart(person: Person) {
  const { id, name } = person;
  return { id, username: name, name, team_id: namedTeamOf(person) };
}

export const namedTeamOf = ({ teamId, namedTeamId = teamId }: Person): string => namedTeamId;

/**
 * Returns the field `channel` of an interaction. For a channel without a public name, Slack sends its kind as the name.
 */
export function channelPart(world: World, channelId: string): { id: string; name: string } {
  const channel = world.channels.find((each) => each.id === channelId);
  if (channel?.kind === 'im') return { id: channelId, name: 'directmessage' };
  if (channel?.kind === 'private') return { id: channelId, name: 'privategroup' };
  return { id: channelId, name: channel?.name ?? '' };
}

type Shortcut = {
  userId: string;
  teamId: string;
  callbackId: string;
  triggerId: string;
  actionTs: string;
};

/** Creates the payload of a shortcut from the composer or the search bar. The payload has no channel. */
export function globalShortcut(world: World, shortcut: Shortcut): JsonObject {
  const { user, api_app_id: _, ...base } = interactionBase(world, shortcut.userId, shortcut.teamId);
  const { name: __, ...userWithoutName } = user;
  return {
    type: 'shortcut',
    ...base,
    user: userWithoutName,
    action_ts: shortcut.actionTs,
    callback_id: shortcut.callbackId,
    trigger_id: shortcut.triggerId,
  };
}

/**
 * Creates the payload of a shortcut from *More actions* on a message. Such shortcuts work even in channels without the
 * app.
 */
export function messageShortcut(
  world: World,
  shortcut: Shortcut,
  { message, responseUrl }: { message: Message; responseUrl: string },
): JsonObject {
  const { api_app_id: _, ...base } = interactionBase(world, shortcut.userId, shortcut.teamId);
  return {
    type: 'message_action',
    ...base,
    action_ts: shortcut.actionTs,
    callback_id: shortcut.callbackId,
    trigger_id: shortcut.triggerId,
    response_url: responseUrl,
    message_ts: message.ts,
    channel: channelPart(world, message.channelId),
    message: messagePayload(world, message),
  };
}

type SlashCommand = {
  userId: string;
  /** Workspace in which the person typed the command. */
  teamId: string;
  channelId: string;
  command: string;
  text: string;
  responseUrl: string;
  triggerId: string;
};

/** Creates the payload of a slash command. Booleans are text, because Slack sends commands as forms over HTTP. */
export function slashCommand(world: World, command: SlashCommand): JsonObject {
  const person = personOf(world, command.userId);
  const team = teamOf(world, command.teamId);
  const enterprise = organizationOf(world, team.id);
  const isWhole = findInstallation(world, team.id)?.enterpriseId !== undefined;
  return {
    token: world.app.verificationToken,
    team_id: team.id,
    team_domain: team.domain,
    channel_id: command.channelId,
    channel_name: channelPart(world, command.channelId).name,
    user_id: person.id,
    user_name: person.name,
    command: command.command,
    text: command.text,
    api_app_id: world.app.id,
    is_enterprise_install: String(isWhole),
    ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
    response_url: command.responseUrl,
    trigger_id: command.triggerId,
  };
}
