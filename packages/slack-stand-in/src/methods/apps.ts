import type { Installations } from '../installing/installations.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World; installations: Installations };

/** Uninstalls the app from a team. */
export function createAppMethods({ world, installations }: Parts): Method[] {
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
