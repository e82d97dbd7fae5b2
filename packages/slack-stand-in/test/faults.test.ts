import { describe, expect, it } from 'vitest';
import { faultSchema } from '../src/faults/faults.ts';
import { callApi, callOk } from './support/call-api.ts';
import { useWorkspace } from './support/use-workspace.ts';

const channel = 'C04ENGINEER';

describe('faults', () => {
  const { startWorkspace } = useWorkspace();

  const start = () => startWorkspace({ retryDelaysMs: [] });
  type Workspace = Awaited<ReturnType<typeof start>>;
  const post = (workspace: Workspace) =>
    fetch(`${workspace.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.botToken}` },
      body: new URLSearchParams({ channel, text: 'x' }),
    });

  it('are all listed', async () => {
    const { faults } = await start();
    const names = faultSchema.options.map((option) => option.shape.name.value);
    expect(Object.keys(faults.list).toSorted()).toEqual(names.toSorted());
  });

  it('lose the response after the effect', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await expect(post(workspace)).rejects.toThrow();
    expect(workspace.messagesIn(channel)).toHaveLength(1);
  });

  it('cut the connection before the effect', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'connection_cut', method: 'chat.postMessage' });
    await expect(post(workspace)).rejects.toThrow();
    expect(workspace.messagesIn(channel)).toHaveLength(0);
  });

  it('happen as often as requested, in order, and only for the given method', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'rate_limited', method: 'chat.postMessage', times: 2 });
    await workspace.faults.inject({
      name: 'server_error',
      method: 'chat.postMessage',
      status: 502,
    });
    await workspace.faults.inject({ name: 'html_answer', method: 'chat.postMessage' });
    await callOk(workspace, 'auth.test');
    const responses = [];
    for (let call = 0; call < 5; call++) responses.push(await post(workspace));
    expect(responses.map(({ status }) => status)).toEqual([429, 429, 502, 200, 200]);
    expect(responses[0]?.headers.get('retry-after')).toBe('1');
    expect(responses[3]?.headers.get('content-type')).toContain('text/html');
    expect(await responses[4]?.json()).toMatchObject({ ok: true });
    expect(workspace.faults.struck()).toEqual({ rate_limited: 2, server_error: 1, html_answer: 1 });
    expect(workspace.faults.armed()).toEqual([]);
  });

  it('answer with any error', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'error_answer', method: '*', error: 'fatal_error' });
    expect(await callApi(workspace, 'auth.test')).toEqual({ ok: false, error: 'fatal_error' });
  });

  it('delay the response, but not the effect', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'answer_delayed', delayMs: 60_000 });
    const answer = post(workspace).catch(() => 'stopped');
    await workspace.until(() => workspace.messagesIn(channel).length === 1);
    await workspace.stop();
    await answer;
  });

  it('end for delayed responses when they are cleared', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'answer_delayed', delayMs: 60_000 });
    const answer = post(workspace);
    await workspace.until(() => workspace.messagesIn(channel).length === 1);
    workspace.faults.clear();
    expect((await answer).status).toBe(200);
  });

  it('change the workspace as people do', async () => {
    const workspace = await start();
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'x' });
    const update = () => callApi(workspace, 'chat.update', { channel, ts, text: 'y' });
    await workspace.faults.inject({ name: 'message_deleted', channel, ts: String(ts) });
    expect(await update()).toMatchObject({ error: 'message_not_found' });
    await workspace.faults.inject({ name: 'app_removed_from_channel', channel });
    const again = () => callApi(workspace, 'chat.postMessage', { channel, text: 'x' });
    expect(await again()).toMatchObject({ error: 'not_in_channel' });
    await workspace.faults.inject({ name: 'channel_archived', channel });
    expect(await again()).toMatchObject({ error: 'is_archived' });
    await workspace.faults.inject({ name: 'token_revoked' });
    expect(await again()).toMatchObject({ error: 'token_revoked' });
  });

  it('reject an unknown fault', async () => {
    const { faults } = await start();
    await expect(faults.inject(JSON.parse('{"name":"earthquake"}'))).rejects.toThrow();
  });

  it('take scopes from the token, which the header and errors tell, until the app is installed again', async () => {
    const workspace = await start();
    const scopesNow = async () =>
      (await callRaw(workspace, 'auth.test')).headers.get('x-oauth-scopes')?.split(',');
    const all = await scopesNow();
    await workspace.faults.inject({ name: 'partial_scopes', granted: ['users:read'] });
    expect(await scopesNow()).toEqual(['users:read']);
    const rejected = await callRaw(workspace, 'chat.postMessage', { channel, text: 'x' });
    expect(rejected.headers.get('x-oauth-scopes')).toBe('users:read');
    expect(await rejected.json()).toMatchObject({
      error: 'missing_scope',
      needed: 'chat:write:bot',
      provided: 'users:read',
    });
    expect(workspace.installAgain({ keepsToken: true })).toBe(workspace.botToken);
    expect(await scopesNow()).toEqual(all);
    await workspace.faults.inject({ name: 'partial_scopes', granted: [] });
    await workspace.faults.inject({ name: 'partial_scopes' });
    expect(await scopesNow()).toEqual(all);
    await workspace.faults.inject({ name: 'partial_scopes', granted: [] });
    expect(workspace.installAgain()).not.toBe(workspace.botToken);
  });

  it('keep events and commands from an app without their scopes', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'partial_scopes', granted: ['chat:write'] });
    const ada = workspace.as('ada');
    expect(await ada.types(channel, '/try')).toMatchObject({ outcome: { acked: false } });
    await ada.types(channel, 'hello');
    expect(workspace.traffic.recent().filter(({ direction }) => direction !== 'call')).toEqual([]);
  });
});

describe('the control API for other processes', () => {
  const { startWorkspace } = useWorkspace();

  async function startWithControl() {
    const workspace = await startWorkspace();
    const control = (headers: Record<string, string>, body?: object) =>
      fetch(`${workspace.url}/control/faults`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
    return { workspace, control, own: { authorization: `Bearer ${workspace.controlToken}` } };
  }

  it('lists and injects faults for callers with the token', async () => {
    const { workspace, control, own } = await startWithControl();
    expect((await control({})).status).toBe(401);
    expect((await control({ authorization: 'Bearer x' })).status).toBe(401);
    expect((await control(own, { name: 'server_error' })).status).toBe(200);
    expect(workspace.faults.armed()).toMatchObject([{ name: 'server_error', method: '*' }]);
    expect((await control(own, { name: 'earthquake' })).status).toBe(400);
    expect(await (await control(own)).json()).toHaveProperty('list.answer_lost');
  });

  it('rejects requests from other sites, even with the token', async () => {
    const { control, own } = await startWithControl();
    const statuses = await Promise.all(
      [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }].map(
        async (foreign) => (await control({ ...own, ...foreign })).status,
      ),
    );
    expect(statuses).toEqual([403, 403]);
  });
});

const callRaw = (
  { apiUrl, botToken }: { apiUrl: string; botToken: string },
  method: string,
  args: Record<string, string> = {},
) =>
  fetch(apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer ${botToken}` },
    body: new URLSearchParams(args),
  });
