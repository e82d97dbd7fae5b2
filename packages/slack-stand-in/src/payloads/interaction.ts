import { findInstallation, personOf, teamOf } from '../world/directory.ts';
import type { Person, World } from '../world/world.ts';

/** The fields of all interactions. `team` is the person's own team, even for a stranger. */
export function interactionBase(world: World, personId: string) {
  const person = personOf(world, personId);
  const { id, domain } = teamOf(world, person.teamId);
  const enterprise = organizationServing(world, person.teamId);
  return {
    team: enterprise ? null : { id, domain },
    user: userPart(person),
    api_app_id: world.app.id,
    token: world.app.verificationToken,
    enterprise,
    is_enterprise_install: enterprise !== null,
  };
}

/** The organization, if the app is installed in a whole one that this team belongs to. */
export function organizationServing(world: World, teamId: string) {
  const enterpriseId = findInstallation(world, teamId)?.enterpriseId;
  const organization = world.organizations.find((each) => each.id === enterpriseId);
  return organization ? { id: organization.id, name: organization.name } : null;
}

function userPart({ id, name, teamId }: Person) {
  return { id, username: name, name, team_id: teamId };
}

/** Slack names channels without a public name by their kind. */
export function channelPart(world: World, channelId: string): { id: string; name: string } {
  const channel = world.channels.find((each) => each.id === channelId);
  if (channel?.kind === 'im') return { id: channelId, name: 'directmessage' };
  if (channel?.kind === 'private') return { id: channelId, name: 'privategroup' };
  return { id: channelId, name: channel?.name ?? '' };
}
