import type { AuthTestResponse } from '@slack/web-api';
import { waitForStore } from 'base/database/wait-for-store';
import type { Store } from '../../../store/store.ts';
import { isForInstallation } from './delivery-origin.ts';
import { fixedToken, type Identity, type Installations } from './installations.ts';
import {
  createWorkspaceFinder,
  createWorkspaceMemory,
  missingOf,
  syncTeams,
} from './organization.ts';
import { type SlackWait, waitForSlack } from './wait-for-slack.ts';

type SingleDeps = {
  botToken: string;
  testAuth(): Promise<AuthTestResponse>;
  listTeams(): Promise<string[]>;
  owner: Pick<Store['owner'], 'claim' | 'claimForOrganization'>;
  store: Store['installations'];
};

type Place = Pick<Installations, 'find' | 'load' | 'recall' | 'organizations'>;

/**
 * Creates the installations for one bot token. They serve its workspace, or those that its organization gives to the
 * app.
 */
export function createSingleInstallation(deps: SingleDeps): Installations {
  let place: Place | undefined;
  return {
    async start(waiting) {
      const me = await waitForSlack(deps.testAuth, 'SLACK_BOT_TOKEN', waiting);
      if (!me) return undefined;
      const isWhole = me.is_enterprise_install || me.team_id?.startsWith('E');
      const started = await (isWhole ? startInOrganization : startInWorkspace)(me, deps, waiting);
      place = started?.place;
      return started?.about;
    },
    find: async (body) => place?.find(body),
    load: async (teamId) => place?.load(teamId),
    recall: (teamId) => place?.recall(teamId),
    tokensOf: () => fixedToken(deps.botToken),
    isShared: () => place === undefined || place.organizations !== undefined,
    get organizations() {
      return place?.organizations;
    },
  };
}

async function startInWorkspace(
  me: AuthTestResponse,
  { owner }: Pick<SingleDeps, 'owner'>,
  waiting: SlackWait,
): Promise<{ place: Place; about: object } | undefined> {
  const { team_id: teamId = '', enterprise_id: enterpriseId } = me;
  const claimed = await waitForStore(async () => {
    await owner.claim(teamId);
    return true;
  }, waiting);
  if (!claimed) return undefined;
  const identity: Identity = { teamId, ...botOf(me), ...(enterpriseId && { enterpriseId }) };
  const recall = (id: string) => (id === teamId ? identity : undefined);
  const place = {
    find: async (body: unknown) => (isForInstallation(body, identity) ? identity : undefined),
    load: async (id: string) => recall(id),
    recall,
  };
  return { place, about: { team: me.team, teamId } };
}

const botOf = ({ bot_id: botId = '', user_id: botUserId = '' }: AuthTestResponse) => ({
  botId,
  botUserId,
});

const inNoWorkspace = (name: string) =>
  `The app is installed in the organization ${name}, but in none of its workspaces: an admin adds it under Organization settings → Apps. The bot waits for that.`;

/**
 * Claims the database for the organization of a bot token, and reads its workspaces. The organization may not have
 * given any yet.
 */
async function startInOrganization(
  me: AuthTestResponse,
  { listTeams, owner, store }: SingleDeps,
  waiting: SlackWait,
) {
  const { team: name = '', enterprise_id: id = me.team_id ?? '' } = me;
  const before = await waitForStore(() => store.teamsOf(id), waiting);
  const listed = await waitForSlack(listTeams, 'SLACK_BOT_TOKEN', waiting);
  if (!before || !listed) return undefined;
  const teamIds = await waitForStore(async () => {
    await owner.claimForOrganization({ id, name }, listed);
    await store.takeTeams(missingOf(before, listed), id);
    return store.teamsOf(id);
  }, waiting);
  if (!teamIds) return undefined;
  if (teamIds.length === 0) waiting.logger.warn({ organization: id }, inNoWorkspace(name));
  const place = createOrganizationPlace({ ...botOf(me), enterpriseId: id }, listTeams, store);
  return { place, about: { organization: name, organizationId: id, workspaces: teamIds.length } };
}

function createOrganizationPlace(
  bot: Omit<Identity, 'teamId'> & { enterpriseId: string },
  listTeams: SingleDeps['listTeams'],
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
        const changes = await syncTeams(id, store, listTeams);
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
