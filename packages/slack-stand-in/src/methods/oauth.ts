import { ApiError } from '../api-error.ts';
import { argument, defineMethod, type Method } from '../method.ts';
import type { OAuth } from '../oauth.ts';
import type { World } from '../world.ts';

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
      ],
      args: {
        client_id: argument.text,
        client_secret: argument.text,
        code: argument.text,
        redirect_uri: argument.text.optional(),
        grant_type: argument.text.optional(),
      },
      wrong: {
        client_id: 'invalid_client_id',
        client_secret: 'bad_client_secret',
        code: 'invalid_code',
      },
      run: ({ client_id: id, client_secret: secret, code, redirect_uri, grant_type: grant }) => {
        if (id !== world.app.clientId) throw new ApiError('invalid_client_id');
        if (secret !== world.app.clientSecret) throw new ApiError('bad_client_secret');
        if (grant && grant !== 'authorization_code') throw new ApiError('invalid_grant_type');
        return oauth.exchange(code, redirect_uri);
      },
    }),
  ];
}
