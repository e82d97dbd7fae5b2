import type { WebClient } from '@slack/web-api';
import { waitForStore } from '../../../store/database/wait-for-store.ts';
import type { Store } from '../../../store/store.ts';
import { type Identity, isForInstallation } from './installation.ts';
import { fixedToken, type Installations } from './installations.ts';
import { readIdentity } from './read-identity.ts';

type SingleParts = {
  botToken: string;
  client: Pick<WebClient, 'auth'>;
  owner: Pick<Store['owner'], 'claim'>;
};

/** One workspace, by its bot token. */
export function createSingleInstallation({ botToken, client, owner }: SingleParts): Installations {
  let identity: Identity | undefined;
  const recall = (teamId: string) => (identity?.teamId === teamId ? identity : undefined);
  return {
    async start(waiting) {
      const me = await readIdentity(client, waiting);
      if (!me) return undefined;
      const { team_id: teamId = '', enterprise_id: enterpriseId } = me;
      const claimed = await waitForStore(async () => {
        await owner.claim(teamId);
        return true;
      }, waiting);
      if (!claimed) return undefined;
      identity = {
        teamId,
        botId: me.bot_id ?? '',
        botUserId: me.user_id ?? '',
        ...(enterpriseId && { enterpriseId }),
      };
      return { team: me.team, teamId };
    },
    find: async (body) => (identity && isForInstallation(body, identity) ? identity : undefined),
    load: async (teamId) => recall(teamId),
    recall,
    tokensOf: () => fixedToken(botToken),
  };
}
