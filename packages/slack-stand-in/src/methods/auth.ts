import type { SocketMode } from '../deliveries/socket-mode.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { pageOf } from '../web-api/paging.ts';
import { personOf, teamOf } from '../world/directory.ts';
import type { Installation, World } from '../world/world.ts';

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
      name: 'auth.teams.list',
      tier: 2,
      errors: ['invalid_cursor', 'invalid_limit'],
      args: {
        limit: argument.count.optional(),
        cursor: argument.text.optional(),
        include_icon: argument.flag.optional(),
      },
      run: (asked, { installation }) => {
        const teams = teamsWith(world, installation).map((id) => teamOf(world, id));
        const page = pageOf(teams, ({ id }) => id, asked, { usual: 100, most: 1000 });
        return {
          teams: page.items.map(({ id, name }) => ({ id, name })),
          response_metadata: page.next,
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

/** The workspaces of an organization that use its token. */
function teamsWith({ installations }: World, { botToken }: Installation): string[] {
  const active = installations.filter((each) => each.botToken === botToken);
  return active
    .filter(({ teamId, status }) => teamId && status === 'active')
    .map((each) => each.teamId);
}
