import type { OAuth } from '../installing/oauth.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World; oauth: OAuth };

export function createOAuthMethods({ world, oauth }: Parts): Method[] {
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
      run: ({ client_id: id, client_secret: secret, grant_type: grant, ...given }) => {
        if (id !== world.app.clientId) throw new ApiError('invalid_client_id');
        if (secret !== world.app.clientSecret) throw new ApiError('bad_client_secret');
        if (grant === 'refresh_token') return oauth.refresh(given.refresh_token ?? '');
        if (grant && grant !== 'authorization_code') throw new ApiError('invalid_grant_type');
        if (given.code === undefined) throw new ApiError('invalid_code');
        return oauth.exchange(given.code, given.redirect_uri);
      },
    }),
  ];
}
