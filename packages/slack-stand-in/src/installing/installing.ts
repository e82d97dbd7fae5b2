import { newId, newToken } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { directChannel, isMemberOf, newDirectChannel } from '../world/directory.ts';
import type { Installation, World } from '../world/world.ts';

/** Team ID in the installation of a whole organization. Installations in the organization's teams share its token. */
export const wholeOrganization = '';

/**
 * Installs the app in a team. Creates a bot user, a token with the manifest's scopes, and a direct channel with each
 * person. As in Slack, a second installation gives the same bot user a new token.
 */
export function installApp(
  world: World,
  { manifest, teamId, enterpriseId, installedBy }: NewInstallation,
): Installation {
  const all = world.installations.filter((each) =>
    enterpriseId ? each.enterpriseId === enterpriseId : each.teamId === teamId,
  );
  const earlier = all.at(-1);
  const installation: Installation = {
    teamId,
    ...(enterpriseId && { enterpriseId }),
    ...(manifest.settings.token_rotation_enabled
      ? rotatingToken()
      : { botToken: newToken('xoxb') }),
    botUserId: earlier?.botUserId ?? newId('U'),
    botId: earlier?.botId ?? newId('B'),
    scopes: [...manifest.oauth_config.scopes.bot],
    installedBy,
    status: 'active',
  };
  for (const each of all) if (each.status === 'active') each.status = 'revoked';
  world.installations.push(installation);
  if (!earlier) addBotUser(world, manifest, installation);
  addDirectChannels(world, installation);
  return installation;
}

type NewInstallation = {
  manifest: AppManifest;
  teamId: string;
  enterpriseId?: string | undefined;
  installedBy: string;
};

export function addDirectChannels(world: World, installation: Installation): void {
  const { teamId } = installation;
  for (const person of world.people) {
    if (person.role === 'bot' || !isMemberOf(person, teamId)) continue;
    if (!directChannel(world, person.id, installation.botUserId)) {
      world.channels.push(newDirectChannel(teamId, installation.botUserId, person.id));
    }
  }
}

/** Lifetime of Slack's rotating tokens, in seconds: twelve hours. */
const validSeconds = 12 * 60 * 60;

export const rotatingToken = () => ({
  botToken: newToken('xoxe.xoxb-1'),
  refreshToken: newToken('xoxe-1'),
  expiresSeconds: Math.floor(Date.now() / 1000) + validSeconds,
});

function addBotUser(world: World, manifest: AppManifest, installation: Installation): void {
  const displayName = manifest.features.bot_user?.display_name ?? manifest.display_information.name;
  world.people.push({
    id: installation.botUserId,
    teamId: installation.teamId,
    name: displayName.toLowerCase().replace(/\s+/g, '-'),
    realName: displayName,
    title: '',
    timeZone: 'America/Los_Angeles',
    role: 'bot',
    botId: installation.botId,
    appId: world.app.id,
    deactivated: false,
  });
}
