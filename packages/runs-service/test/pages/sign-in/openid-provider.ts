import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Grant = { redirectUri: string; nonce: string; challenge: string | undefined };

export const openidClient = { clientId: '1.2', clientSecret: 'secret-of-the-slack-app' };

/**
 * Starts a strict OpenID provider with Slack's paths and answers. A code works once, with the same redirect URL and the
 * verifier of its challenge. Tests can change `says` to make the provider lie.
 */
export async function startOpenidProvider({ redirectUri }: { redirectUri: () => string }) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const tokens = new Set<string>();
  const says = { teamId: 'T1', userId: 'U1', claims: {} as Record<string, unknown>, pkce: true };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer());
    void answer(request, url).then((body) => {
      if (body instanceof URL) response.writeHead(302, { location: body.href }).end();
      else
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const issuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, url: URL): Promise<object> {
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return discovery(issuer(), says.pkce);
      case '/openid/connect/keys':
        return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] };
      case '/openid/connect/authorize':
        return authorize(url.searchParams);
      case '/api/openid.connect.token':
        return exchange(new URLSearchParams(await bodyOf(request)));
      case '/api/openid.connect.userInfo':
        return userInfo(request.headers.authorization ?? '');
    }
    return { ok: false, error: 'unknown_method' };
  }

  function authorize(query: URLSearchParams): object {
    const asked = Object.fromEntries(query);
    const isWhole = asked['response_type'] === 'code' && asked['scope'] === 'openid';
    const { client_id: client, redirect_uri: to, state, nonce, code_challenge: challenge } = asked;
    if (!isWhole || client !== openidClient.clientId) return rejected('invalid_client_id');
    if (to !== redirectUri()) return rejected('bad_redirect_uri');
    if (!state || !nonce || (says.pkce && !challenge)) return rejected('invalid_request');
    const code = randomBytes(16).toString('hex');
    grants.set(code, { redirectUri: to, nonce, challenge });
    const back = new URL(to);
    back.searchParams.set('code', code);
    back.searchParams.set('state', state);
    return back;
  }

  function exchange(form: URLSearchParams): object {
    const given = Object.fromEntries(form);
    const grant = grants.get(given['code'] ?? '');
    grants.delete(given['code'] ?? '');
    if (given['client_id'] !== openidClient.clientId) return rejected('invalid_client_id');
    if (given['client_secret'] !== openidClient.clientSecret) return rejected('bad_client_secret');
    if (!grant || given['grant_type'] !== 'authorization_code') return rejected('invalid_code');
    if (given['redirect_uri'] !== grant.redirectUri) return rejected('bad_redirect_uri');
    const proof = createHash('sha256')
      .update(given['code_verifier'] ?? '')
      .digest('base64url');
    if (grant.challenge !== undefined && proof !== grant.challenge)
      return rejected('invalid_grant');
    const token = randomBytes(16).toString('hex');
    tokens.add(token);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer(),
      sub: says.userId,
      aud: openidClient.clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      'https://slack.com/team_id': says.teamId,
      ...says.claims,
    };
    return { ok: true, access_token: token, token_type: 'Bearer', id_token: signed(claims) };
  }

  function userInfo(authorization: string): object {
    if (!tokens.has(authorization.replace('Bearer ', ''))) return rejected('invalid_auth');
    const { userId: sub, teamId } = says;
    return { ok: true, sub, 'https://slack.com/user_id': sub, 'https://slack.com/team_id': teamId };
  }

  function signed(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', kid: 'k', typ: 'JWT' })}.${part(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  }

  return { issuer: issuer(), says };
}

/** Answers a rejection, which has the status 200 like Slack's. */
const rejected = (error: string) => ({ ok: false, error });

const discovery = (issuer: string, pkce: boolean) => ({
  issuer,
  authorization_endpoint: `${issuer}/openid/connect/authorize`,
  token_endpoint: `${issuer}/api/openid.connect.token`,
  userinfo_endpoint: `${issuer}/api/openid.connect.userInfo`,
  jwks_uri: `${issuer}/openid/connect/keys`,
  scopes_supported: ['openid', 'profile', 'email'],
  response_types_supported: ['code'],
  response_modes_supported: ['form_post'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  ...(pkce && { code_challenge_methods_supported: ['S256'] }),
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
