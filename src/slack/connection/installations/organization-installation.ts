import type { AuthTestResponse, WebClient } from '@slack/web-api';
import { waitForStore } from 'base/database/wait-for-store';
import type { Store } from '../../../store/store.ts';
import type { Identity } from './installation.ts';
import type { Installations } from './installations.ts';
import { createWorkspaceFinder } from './organization.ts';
import { listTeams, missingOf, syncTeams } from './organization-teams.ts';
import { type SlackWait, waitForSlack } from './read-identity.ts';
import { createWorkspaceMemory } from './workspace-memory.ts';

type OrganizationParts = {
  client: Pick<WebClient, 'auth'>;
  owner: Pick<Store['owner'], 'claimForOrganization'>;
  store: Store['installations'];
};

const inNoWorkspace = (name: string) =>
  `The app is installed in the organization ${name}, but in none of its workspaces: an admin adds it under Organization settings → Apps. The bot waits for that.`;

export const botOf = ({ bot_id: botId = '', user_id: botUserId = '' }: AuthTestResponse) => ({
  botId,
  botUserId,
});

/** Takes the database for the organization of a bot token, and reads its workspaces. Without any, it waits for some. */
export async function startInOrganization(
  me: AuthTestResponse,
  { client, owner, store }: OrganizationParts,
  waiting: SlackWait,
) {
  const { team: name = '', enterprise_id: id = me.team_id ?? '' } = me;
  const before = await waitForStore(() => store.teamsOf(id), waiting);
  const listed = await waitForSlack(() => listTeams(client), 'SLACK_BOT_TOKEN', waiting);
  if (!before || !listed) return undefined;
  const teamIds = await waitForStore(async () => {
    await owner.claimForOrganization({ id, name }, listed);
    await store.takeTeams(missingOf(before, listed), id);
    return store.teamsOf(id);
  }, waiting);
  if (!teamIds) return undefined;
  if (teamIds.length === 0) waiting.logger.warn({ organization: id }, inNoWorkspace(name));
  const place = createOrganizationPlace({ ...botOf(me), enterpriseId: id }, client, store);
  return { place, about: { organization: name, organizationId: id, workspaces: teamIds.length } };
}

/** The workspaces of one organization, by its bot token. */
function createOrganizationPlace(
  bot: Omit<Identity, 'teamId'> & { enterpriseId: string },
  client: Pick<WebClient, 'auth'>,
  store: Store['installations'],
) {
  const { enterpriseId: id } = bot;
  const { read, readAgain, recall } = createWorkspaceMemory<Identity>(async (teamId) =>
    (await store.isTeamOf(teamId, id)) ? { ...bot, teamId } : undefined,
  );
  const findWorkspace = createWorkspaceFinder({
    store,
    isInstalledIn: async (organizationId) => organizationId === id,
    isKnown: async (teamId) => (await read(teamId)) !== undefined,
  });
  return {
    load: read,
    recall,
    async find(body: unknown) {
      const teamId = await findWorkspace(body);
      return teamId === undefined ? undefined : read(teamId);
    },
    organizations: {
      list: async () => [id],
      async read() {
        const changes = await syncTeams(id, store, () => listTeams(client));
        await Promise.all(changes.taken.map(readAgain));
        return changes;
      },
      async taken(teamIds, organizationId) {
        const taken = await store.takeTeams(teamIds, organizationId);
        await Promise.all(taken.map(readAgain));
        return taken;
      },
    },
  } satisfies Pick<Installations, 'find' | 'load' | 'recall' | 'organizations'>;
}
