import type { SocketMode } from '../deliveries/socket-mode.ts';
import type { Installations } from '../installing/installations.ts';
import type { OAuth } from '../installing/oauth.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { pageOf } from '../web-api/paging.ts';
import { personOf, teamOf } from '../world/directory.ts';
import type { Installation, World } from '../world/world.ts';

/** Creates the methods that identify a token and open a Socket Mode connection. */
export function createAuthMethods({
  world,
  socketMode,
  baseUrl,
}: {
  world: World;
  socketMode: SocketMode;
  baseUrl: () => string;
}): Method[] {
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
      run: (args, { installation }) => {
        const teams = teamsWith(world, installation).map((id) => teamOf(world, id));
        const page = pageOf(teams, ({ id }) => id, args, { usual: 100, most: 1000 });
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

/** Returns the IDs of the organization's workspaces that use its token. */
function teamsWith({ installations }: World, { botToken }: Installation): string[] {
  const active = installations.filter((each) => each.botToken === botToken);
  return active
    .filter(({ teamId, status }) => teamId && status === 'active')
    .map((each) => each.teamId);
}

/** Creates the method that uninstalls the app from a team. */
export function createAppMethods({
  world,
  installations,
}: {
  world: World;
  installations: Installations;
}): Method[] {
  return [
    defineMethod({
      name: 'apps.uninstall',
      tier: 1,
      errors: ['bad_client_secret', 'invalid_client_id'],
      args: { client_id: argument.text, client_secret: argument.text },
      wrong: { client_id: 'invalid_client_id', client_secret: 'bad_client_secret' },
      run: ({ client_id: id, client_secret: secret }, { installation }) => {
        if (id !== world.app.clientId) throw new ApiError('invalid_client_id');
        if (secret !== world.app.clientSecret) throw new ApiError('bad_client_secret');
        void installations.uninstall(installation);
        return { uninstalled: true };
      },
    }),
    defineMethod({
      name: 'auth.revoke',
      tier: 3,
      args: { test: argument.flag.optional() },
      run: ({ test: isTrial = false }, { installation }) => {
        if (!isTrial) void installations.revoke(installation);
        return { revoked: !isTrial };
      },
    }),
  ];
}

export function createOAuthMethods({ world, oauth }: { world: World; oauth: OAuth }): Method[] {
  return [
    defineMethod({
      name: 'oauth.v2.access',
      tier: 5,
      token: 'none',
      errors: [
        'bad_client_secret',
        'bad_redirect_uri',
        'invalid_client_id',
        'invalid_code',
        'invalid_grant_type',
        'invalid_refresh_token',
      ],
      args: {
        client_id: argument.text,
        client_secret: argument.text,
        code: argument.text.optional(),
        refresh_token: argument.text.optional(),
        redirect_uri: argument.text.optional(),
        grant_type: argument.text.optional(),
      },
      wrong: {
        client_id: 'invalid_client_id',
        client_secret: 'bad_client_secret',
      },
      run: ({ client_id: id, client_secret: secret, grant_type: grant, ...rest }) => {
        if (id !== world.app.clientId) throw new ApiError('invalid_client_id');
        if (secret !== world.app.clientSecret) throw new ApiError('bad_client_secret');
        if (grant === 'refresh_token') return oauth.refresh(rest.refresh_token ?? '');
        if (grant && grant !== 'authorization_code') throw new ApiError('invalid_grant_type');
        if (rest.code === undefined) throw new ApiError('invalid_code');
        return oauth.exchange(rest.code, rest.redirect_uri);
      },
    }),
  ];
}
