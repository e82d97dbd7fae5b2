import type { AuthTestResponse, WebClient } from '@slack/web-api';
import { waitForStore } from 'base/database/wait-for-store';
import type { Store } from '../../../store/store.ts';
import { type Identity, isForInstallation } from './installation.ts';
import { fixedToken, type Installations } from './installations.ts';
import { botOf, startInOrganization } from './organization-installation.ts';
import { readIdentity, type SlackWait } from './read-identity.ts';

export type SingleParts = {
  botToken: string;
  client: Pick<WebClient, 'auth'>;
  owner: Pick<Store['owner'], 'claim' | 'claimForOrganization'>;
  store: Store['installations'];
};

/** The token's workspace, or its organization's workspaces. */
type Place = Pick<Installations, 'find' | 'load' | 'recall' | 'organizations'>;

/** One workspace, or those that one organization gives to the app, by the bot token. */
export function createSingleInstallation({ botToken, ...parts }: SingleParts): Installations {
  let place: Place | undefined;
  return {
    async start(waiting) {
      const me = await readIdentity(parts.client, waiting);
      if (!me) return undefined;
      const isWhole = me.is_enterprise_install || me.team_id?.startsWith('E');
      const started = await (isWhole ? startInOrganization : startInWorkspace)(me, parts, waiting);
      place = started?.place;
      return started?.about;
    },
    find: async (body) => place?.find(body),
    load: async (teamId) => place?.load(teamId),
    recall: (teamId) => place?.recall(teamId),
    tokensOf: () => fixedToken(botToken),
    isShared: () => place === undefined || place.organizations !== undefined,
    get organizations() {
      return place?.organizations;
    },
  };
}

async function startInWorkspace(
  me: AuthTestResponse,
  { owner }: Pick<SingleParts, 'owner'>,
  waiting: SlackWait,
): Promise<{ place: Place; about: object } | undefined> {
  const { team_id: teamId = '', enterprise_id: enterpriseId } = me;
  const claimed = await waitForStore(async () => {
    await owner.claim(teamId);
    return true;
  }, waiting);
  if (!claimed) return undefined;
  const identity: Identity = { teamId, ...botOf(me), ...(enterpriseId && { enterpriseId }) };
  const recall = (asked: string) => (asked === teamId ? identity : undefined);
  const place = {
    find: async (body: unknown) => (isForInstallation(body, identity) ? identity : undefined),
    load: async (asked: string) => recall(asked),
    recall,
  };
  return { place, about: { team: me.team, teamId } };
}
