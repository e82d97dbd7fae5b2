import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRunsClient, readRunsClientOptions } from '../src/index.ts';
import { aRun, sendJson, startApiServer, testClient, testKey } from './support/api-server.ts';

const nightly = { name: 'Nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy up' };
const s = { ...nightly, id: 's', enabled: true, created_at: 'then', updated_at: 'then' };
const [all, gone] = [{ schedules: [s] }, { success: true }];

describe('a call', () => {
  it.each([
    ['runs.get', 'GET', '/agent/runs/a%2Fb%20c', (c: Client) => c.runs.get('a/b c'), aRun()],
    ['runs.cancel', 'POST', '/agent/runs/r/cancel', (c: Client) => c.runs.cancel('r'), 'r'],
    [
      'runs.followUp',
      'POST',
      '/agent/runs/r/followups',
      (c: Client) => c.runs.followUp('r', 'and?'),
      {},
    ],
    [
      'environments.list',
      'GET',
      '/agent/environments',
      (c: Client) => c.environments.list(),
      { environments: [] },
    ],
    ['schedules.create', 'POST', '/agent/schedules', (c: Client) => c.schedules.create(nightly), s],
    ['schedules.list', 'GET', '/agent/schedules', (c: Client) => c.schedules.list(), all],
    ['schedules.get', 'GET', '/agent/schedules/s', (c: Client) => c.schedules.get('s'), s],
    [
      'schedules.update',
      'PUT',
      '/agent/schedules/s',
      (c: Client) => c.schedules.update('s', nightly),
      s,
    ],
    [
      'schedules.delete',
      'DELETE',
      '/agent/schedules/s',
      (c: Client) => c.schedules.delete('s'),
      gone,
    ],
    [
      'schedules.pause',
      'POST',
      '/agent/schedules/s/pause',
      (c: Client) => c.schedules.pause('s'),
      s,
    ],
    [
      'schedules.resume',
      'POST',
      '/agent/schedules/s/resume',
      (c: Client) => c.schedules.resume('s'),
      s,
    ],
    ['agents.list', 'GET', '/agent', (c: Client) => c.agents.list(), { agents: [] }],
    ['get', 'GET', '/beta/x?a=1', (c: Client) => c.get('/beta/x', { query: { a: 1 } }), [1]],
    ['post', 'POST', '/beta/x', (c: Client) => c.post('/beta/x', { body: { a: 1 } }), [1]],
    ['put', 'PUT', '/beta/x', (c: Client) => c.put('/beta/x', { body: { a: 1 } }), [1]],
    ['patch', 'PATCH', '/beta/x', (c: Client) => c.patch('/beta/x', { body: { a: 1 } }), [1]],
    ['delete', 'DELETE', '/beta/x', (c: Client) => c.delete('/beta/x'), [1]],
    [
      'request',
      'DELETE',
      '/beta/x',
      (c: Client) => c.request({ method: 'DELETE', path: '/beta/x' }),
      [1],
    ],
  ] as const)('%s is %s %s', async (_, method, path, call, answer) => {
    const api = await startApiServer((response) => sendJson(response, 200, answer));
    await call(api.client());
    expect(api.received).toHaveLength(1);
    expect(api.received[0]).toMatchObject({ method, url: `/api/v1${path}` });
    expect(api.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${testKey}`,
      accept: 'application/json',
      'user-agent': 'slash-agent-runs-client',
    });
  });

  it('sends every filter of a list', async () => {
    const answer = { runs: [], page_info: { has_next_page: false } };
    const api = await startApiServer((response) => sendJson(response, 200, answer));
    const page = await api
      .client()
      .runs.list({ state: ['QUEUED', 'FAILED'], creator: 'ada', metadata: { a: 'b' } });
    expect(page.runs).toEqual([]);
    expect(api.received[0]?.url).toBe(
      '/api/v1/agent/runs?state=QUEUED&state=FAILED&creator=ada&metadata%5Ba%5D=b',
    );
  });

  it('takes headers, an idempotency key and a user agent', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, {}));
    const client = api.client({ userAgent: 'ci/1' });
    await client.post('/x', { headers: { 'x-team': 'blue' }, idempotencyKey: 'k-1' });
    expect(api.received[0]?.headers).toMatchObject({
      'x-team': 'blue',
      'idempotency-key': 'k-1',
      'user-agent': 'ci/1',
    });
  });

  it("prefers the caller's headers", async () => {
    const api = await startApiServer((response) => sendJson(response, 200, {}));
    await api
      .client()
      .get('/x', { headers: { Accept: 'text/plain', Authorization: 'Basic eA==' } });
    const { rawHeaders } = api.received[0] ?? { rawHeaders: [] };
    const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names.filter((name) => ['accept', 'authorization'].includes(name))).toHaveLength(2);
    expect(api.received[0]?.headers).toMatchObject({
      accept: 'text/plain',
      authorization: 'Basic eA==',
    });
  });

  it('accepts an infinite time limit', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun()));
    const client = api.client({ timeoutMs: Number.POSITIVE_INFINITY, apiKey: () => testKey });
    expect(await client.runs.get('r')).toMatchObject({ run_id: 'run-1' });
  });

  it('calls a key function before every attempt', async () => {
    const api = await startApiServer((response, _, count) =>
      count === 1
        ? sendJson(response, 503, {}, { 'retry-after-ms': '1' })
        : sendJson(response, 200, aRun()),
    );
    let asked = 0;
    const client = api.client({ apiKey: async () => `key-${++asked}` });
    await client.runs.get('r');
    expect(api.received.map((each) => each.headers.authorization)).toEqual([
      'Bearer key-1',
      'Bearer key-2',
    ]);
  });

  it('is sent even if nothing awaits it', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const api = await startApiServer((response) => {
      sendJson(response, 200, {});
      arrived();
    });
    const call = api.client().runs.cancel('r');
    await arrival;
    expect(await call).toEqual({ run_id: 'r' });
    expect(api.received).toHaveLength(1);
  });
});

describe('the whole response', () => {
  const answer = { 'x-request-id': 'req-9' };

  it('comes from withResponse', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun(), answer));
    const whole = await api.client().runs.get('r').withResponse();
    expect(whole).toMatchObject({ status: 200, requestId: 'req-9', data: { run_id: 'run-1' } });
    expect(whole.headers['content-type']).toBe('application/json');
  });

  it('comes with an unread body from asResponse', async () => {
    const big = aRun({ prompt: 'x'.repeat(6_000_000) });
    const api = await startApiServer((response) => sendJson(response, 200, big, answer));
    const raw = await api.client().runs.get('r').asResponse();
    expect(raw).toMatchObject({ status: 200, requestId: 'req-9' });
    expect(JSON.parse(await text(raw.body))).toEqual(big);
  });

  it('allows dropping a raw body before the next call', async () => {
    const big = aRun({ prompt: 'x'.repeat(6_000_000) });
    const api = await startApiServer((response, request) =>
      sendJson(response, 200, request.url.endsWith('big') ? big : aRun()),
    );
    const client = api.client();
    const raw = await client.runs.get('big').asResponse();
    raw.body.destroy();
    expect(await client.runs.get('r')).toMatchObject({ run_id: 'run-1' });
  });

  it('is an error for a failure, even from asResponse', async () => {
    const api = await startApiServer((response) =>
      sendJson(response, 404, { detail: 'no such run' }),
    );
    const raw = api.client().runs.get('r').asResponse();
    await expect(raw).rejects.toMatchObject({
      code: 'not_found',
      problem: { detail: 'no such run' },
    });
  });

  it('never sends a call twice', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, { run_id: 'r' }));
    const client = api.client();
    const call = client.runs.cancel('r');
    const raw = await call.asResponse();
    raw.body.resume();
    await expect(call.then()).rejects.toThrow('directly on the call');
    const other = client.runs.cancel('r');
    await other;
    await expect(other.asResponse()).rejects.toThrow('directly on the call');
    expect(api.received).toHaveLength(2);
  });
});

describe('the options of a client', () => {
  it.each([
    ['no URL', { baseUrl: 'localhost' }, 'not a URL'],
    ['another scheme', { baseUrl: 'ftp://x/api/v1' }, 'must be https: or http:'],
    ['a password in the URL', { baseUrl: 'https://a:hidden@x/api/v1' }, 'not have a user'],
    ['http to another machine', { baseUrl: 'http://runs.example/api/v1' }, 'sent unencrypted'],
    ['a name that only looks local', { baseUrl: 'http://127.0.0.1.example/' }, 'sent unencrypted'],
    ['an empty key', { apiKey: '' }, 'apiKey is empty'],
    ['a key with a line break', { apiKey: 'abc\n' }, 'apiKey is empty or has'],
  ])('reject %s, without repeating secrets', (_, wrong, message) => {
    const make = () =>
      createRunsClient({ baseUrl: 'http://127.0.0.1/api/v1', apiKey: 'k', ...wrong });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
    expect(make).not.toThrow('hidden');
  });

  it.each([
    { baseUrl: 'http://localhost:4800/api/v1' },
    { baseUrl: 'http://[::1]:4800/api/v1' },
    { baseUrl: 'https://runs.example/api/v1' },
    { baseUrl: 'http://runs.example/api/v1', allowHttp: true },
  ])('accept %o', async (options) => {
    await createRunsClient({ ...options, apiKey: 'k' }).close();
  });

  it('come from an environment only on request', () => {
    const env = { RUNS_API_URL: 'http://127.0.0.1:1/api/v1', RUNS_API_KEY: 'k' };
    expect(readRunsClientOptions(env)).toEqual({
      baseUrl: env.RUNS_API_URL,
      apiKey: 'k',
      allowHttp: false,
      proxies: { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined },
    });
    const proxied = { ...env, HTTPS_PROXY: 'http://a', https_proxy: 'http://b', NO_PROXY: 'x' };
    expect(readRunsClientOptions(proxied).proxies).toEqual({
      httpProxy: undefined,
      httpsProxy: 'http://b',
      noProxy: 'x',
    });
    expect(() => readRunsClientOptions({ RUNS_API_KEY: 'k' })).toThrow('RUNS_API_URL is not set');
    expect(() => readRunsClientOptions({ RUNS_API_URL: 'x' })).toThrow('RUNS_API_KEY is not set');
  });

  it('accept a dispatcher, which stays open when the client closes', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun()));
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.close());
    const first = testClient(api.baseUrl, { dispatcher });
    await first.runs.get('r');
    await first.close();
    await testClient(api.baseUrl, { dispatcher }).runs.get('r');
    expect(api.received).toHaveLength(2);
  });

  it('accept a logger, which gets calls but no key, prompt or query', async () => {
    const api = await startApiServer((response, _, count) =>
      count === 1
        ? sendJson(response, 429, {}, { 'retry-after-ms': '1' })
        : sendJson(response, 200, { run_id: 'r', state: 'QUEUED' }),
    );
    const lines: string[] = [];
    const log = (fields: object, message: string) =>
      void lines.push(JSON.stringify({ ...fields, message }));
    await api
      .client({ logger: { debug: log, warn: log } })
      .runs.create({ prompt: 'the secret plan' });
    expect(lines.join('\n')).toContain('rate_limited');
    expect(lines.join('\n')).toContain('POST /agent/run');
    expect(lines.join('\n')).not.toMatch(/secret plan|key-of-the-tests/);
  });
});

type Client = ReturnType<typeof testClient>;
