import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../src/index.ts';
import { callApi, callOk } from './support/call-api.ts';
import { distributedManifest } from './support/manifest.ts';
import { useWorkspace } from './support/use-workspace.ts';

const redirectUri = 'http://127.0.0.1:4000/slack/oauth_redirect';
const katherine = 'U05KATHERIN';
const manifest = distributedManifest;

function consentAddress(workspace: LocalWorkspace, changed: Record<string, string> = {}): URL {
  const query = { scope: 'chat:write,commands', redirect_uri: redirectUri, state: 'st&te' };
  const url = new URL('/oauth/v2/authorize', workspace.url);
  const all = { client_id: workspace.clientId, ...query, ...changed };
  url.search = new URLSearchParams(all).toString();
  return url;
}

async function answerConsent(workspace: LocalWorkspace, fields: Record<string, string>) {
  const page = await (await fetch(consentAddress(workspace))).text();
  const form = /name="form" value="(\w+)"/.exec(page)?.[1] ?? '';
  const send = () =>
    fetch(new URL('/oauth/v2/authorize', workspace.url), {
      method: 'POST',
      body: new URLSearchParams({ form, ...fields }),
      redirect: 'manual',
    });
  return { page, send };
}

describe('installing the app by OAuth', () => {
  const { startWorkspace } = useWorkspace();

  it('asks for consent with the scopes, and returns a code for one token', async () => {
    const workspace = await startWorkspace({ manifest });
    const { page, send } = await answerConsent(workspace, { answer: 'allow', user: katherine });
    expect(page).toContain('<code>commands</code>');
    const location = new URL((await send()).headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(redirectUri);
    expect(location.searchParams.get('state')).toBe('st&te');

    const { clientId: client_id, clientSecret: client_secret } = workspace;
    const code = location.searchParams.get('code');
    const given = { client_id, client_secret, code, redirect_uri: redirectUri };
    const answer = await callOk(workspace, 'oauth.v2.access', given, '');
    expect(answer).toMatchObject({
      token_type: 'bot',
      scope: 'chat:write,commands',
      team: { id: 'T05COMPILER', name: 'Compiler Club' },
      authed_user: { id: katherine },
    });
    const token = String(answer['access_token']);
    const test = await callOk(workspace, 'auth.test', {}, token);
    expect(test).toMatchObject({ team_id: 'T05COMPILER', user_id: answer['bot_user_id'] });
    expect(await callApi(workspace, 'oauth.v2.access', given, '')).toMatchObject({
      error: 'invalid_code',
    });
  });

  it('keeps the teams apart', async () => {
    const workspace = await startWorkspace({ manifest, retryDelaysMs: [] });
    const code = workspace.grantCode({
      userId: katherine,
      scopes: ['chat:write', 'commands'],
      redirectUri,
    });
    const { clientId: client_id, clientSecret: client_secret } = workspace;
    const installed = await callOk(workspace, 'oauth.v2.access', {
      client_id,
      client_secret,
      code,
    });
    const token = String(installed['access_token']);
    const elsewhere = { channel: 'C04ENGINEER', text: 'x' };
    expect(await callApi(workspace, 'chat.postMessage', elsewhere, token)).toMatchObject({
      error: 'channel_not_found',
    });
    await workspace.as(katherine).invitesApp('C05GENERAL1');
    await callOk(workspace, 'chat.postMessage', { channel: 'C05GENERAL1', text: 'x' }, token);
    await workspace.as(katherine).types('C05GENERAL1', '/try');
    const { request } =
      workspace.traffic.recent().findLast(({ name }) => name === 'slash_commands') ?? {};
    expect(request).toMatchObject({ team_id: 'T05COMPILER', team_domain: 'compiler-club' });
  });

  it('redirects a person who declines without a code', async () => {
    const workspace = await startWorkspace({ manifest });
    const { send } = await answerConsent(workspace, { answer: 'deny', user: katherine });
    const location = new URL((await send()).headers.get('location') ?? '');
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'access_denied',
      state: 'st&te',
    });
  });

  it('accepts each form once, and only from its own page', async () => {
    const workspace = await startWorkspace({ manifest });
    const { send } = await answerConsent(workspace, { answer: 'allow', user: katherine });
    expect((await send()).status).toBe(302);
    expect((await send()).status).toBe(400);
  });

  const wrong: [what: string, changed: Record<string, string>, error: string][] = [
    ['another client id', { client_id: 'x' }, 'invalid_client_id'],
    ['a scope that the manifest lacks', { scope: 'admin' }, 'invalid_scope'],
    ['no scope', { scope: '' }, 'no_scopes'],
    ['a redirect to a stranger', { redirect_uri: 'https://evil.example/' }, 'bad_redirect_uri'],
    ['a script for a redirect', { redirect_uri: 'javascript:alert(1)' }, 'bad_redirect_uri'],
  ];
  it.each(wrong)('shows an error for %s', async (_what, changed, error) => {
    const workspace = await startWorkspace({ manifest });
    const response = await fetch(consentAddress(workspace, changed));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(error);
  });

  it('lets people leave out optional scopes only', async () => {
    const { bot } = manifest.oauth_config.scopes;
    const scopes = { ...manifest.oauth_config.scopes, bot_optional: ['commands'] };
    const optional = { ...manifest, oauth_config: { ...manifest.oauth_config, scopes } };
    const workspace = await startWorkspace({ manifest: optional });
    const { send } = await answerConsent(workspace, { answer: 'allow', user: katherine });
    const code = new URL((await send()).headers.get('location') ?? '').searchParams.get('code');
    const { clientId: client_id, clientSecret: client_secret } = workspace;
    const given = { client_id, client_secret, code };
    expect(await callOk(workspace, 'oauth.v2.access', given, '')).toMatchObject({
      scope: 'chat:write',
    });

    const atHome = await startWorkspace({ manifest: optional, leftOut: ['commands'] });
    const home = atHome.installationIn(atHome.team.id);
    expect(home?.scopes).toEqual(bot.filter((scope) => scope !== 'commands'));
    await expect(startWorkspace({ manifest: optional, leftOut: ['chat:write'] })).rejects.toThrow(
      "chat:write isn't an optional scope",
    );
  });

  it('keeps an app with workflow steps in its own organization', async () => {
    const workspace = await startWorkspace();
    const grant = { userId: katherine, scopes: ['chat:write'], redirectUri };
    expect(() => workspace.grantCode(grant)).toThrow('invalid_team_for_non_distributed_app');
    expect(workspace.grantCode({ ...grant, userId: 'U04ADALOVEL' })).toBeTruthy();
  });

  it('does not let guests install it', async () => {
    const workspace = await startWorkspace({ manifest });
    const grant = { userId: 'U04GUESTSAM', scopes: ['chat:write'], redirectUri };
    expect(() => workspace.grantCode(grant)).toThrow('access_denied');
  });
});
