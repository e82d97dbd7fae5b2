import type { SocketMode } from '../deliveries/socket-mode.ts';
import { defineMethod, type Method } from '../web-api/method.ts';
import { personOf, teamOf } from '../world/directory.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World; socketMode: SocketMode; baseUrl: () => string };

/** Identifies a token, and opens a Socket Mode connection. */
export function createAuthMethods({ world, socketMode, baseUrl }: Parts): Method[] {
  return [
    defineMethod({
      name: 'api.test',
      tier: 4,
      token: 'none',
      args: {},
      run: () => ({ args: {} }),
    }),
    defineMethod({
      name: 'auth.test',
      tier: 5,
      args: {},
      run: (_args, { installation }) => {
        const { teamId, enterpriseId } = installation;
        const organization = world.organizations.find(({ id }) => id === enterpriseId);
        const team = organization ?? teamOf(world, teamId);
        return {
          ...(enterpriseId && { enterprise_id: enterpriseId }),
          url: `${baseUrl()}/`,
          team: team.name,
          user: personOf(world, installation.botUserId).name,
          team_id: team.id,
          user_id: installation.botUserId,
          bot_id: installation.botId,
          is_enterprise_install: enterpriseId !== undefined,
        };
      },
    }),
    defineMethod({
      name: 'apps.connections.open',
      tier: 1,
      token: 'app',
      args: {},
      run: () => {
        const url = new URL(
          `/link/?ticket=${socketMode.newTicket()}&app_id=${world.app.id}`,
          baseUrl(),
        );
        url.protocol = 'ws:';
        return { url: url.href };
      },
    }),
  ];
}
