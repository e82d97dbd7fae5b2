import {
  findInstallation,
  isMemberOf,
  organizationWith,
  personOf,
  teamOf,
} from '../world/directory.ts';
import type { Person, World } from '../world/world.ts';

/**
 * The fields of all interactions. `team` is where the person acts, a stranger's own team, and null if the app is installed in
 * the whole organization.
 * @param teamId where the person acts; apart from the message or view, Slack doesn't say it
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

/** The organization that this team belongs to. */
export function organizationOf(world: World, teamId: string) {
  const organization = organizationWith(world, teamId);
  return organization ? { id: organization.id, name: organization.name } : null;
}

/** A member of several workspaces has the same one everywhere. */
function userPart(person: Person) {
  const { id, name } = person;
  return { id, username: name, name, team_id: namedTeamOf(person) };
}

export const namedTeamOf = ({ teamId, namedTeamId = teamId }: Person): string => namedTeamId;

/** Slack names channels without a public name by their kind. */
export function channelPart(world: World, channelId: string): { id: string; name: string } {
  const channel = world.channels.find((each) => each.id === channelId);
  if (channel?.kind === 'im') return { id: channelId, name: 'directmessage' };
  if (channel?.kind === 'private') return { id: channelId, name: 'privategroup' };
  return { id: channelId, name: channel?.name ?? '' };
}
