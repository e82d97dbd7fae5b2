import { Hono } from 'hono';
import OzAPI from 'oz-agent-sdk';
import { describeAttempt } from 'runs-client/create-attempt';
import type { RunsApiErrorCode } from 'runs-client/runs-api-error';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testClient } from '../../../packages/runs-client/test/support/api-server.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createRunsApp } from '../../../src/runs-service/api/app.ts';
import type { CallerVariables } from '../../../src/runs-service/api/authentication.ts';
import { createKeyring } from '../../../src/runs-service/api/keyring.ts';
import { listen } from '../../../src/runs-service/api/listen.ts';
import { ApiProblem, type ProblemCode } from '../../../src/runs-service/api/problem.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';

const settled = (state: string) => ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(state);

/** Our service over real HTTP, this client and the public SDK on it. */
async function startBoth(script = 'true') {
  const { service } = await startRunsService({ environments: [shellEnvironment(script)] });
  const baseUrl = service.apiUrl;
  const client = testClient(baseUrl, { apiKey: testKey, maxRetries: 0 });
  const sdk = new OzAPI({ baseURL: baseUrl, apiKey: testKey, maxRetries: 0 });
  return { client, sdk };
}

describe('this client on our service', () => {
  it('creates a run, follows it to its end and finds all its details', async () => {
    const { client } = await startBoth();
    const config = {
      name: 'mend',
      model_id: 'm-1',
      environment_id: 'shell',
      base_prompt: 'Be kind.',
    };
    const request = { prompt: 'Mend it', title: 'Mending', config, metadata: { team: 'blue' } };
    const { run_id, state } = await client.runs.create(request, { idempotencyKey: 'req-1' });
    expect(state).toBe('QUEUED');
    const states: string[] = [];
    const run = await client.runs.wait(run_id, {
      pollMs: 10,
      onChange: (r) => states.push(r.state),
    });
    expect(run).toMatchObject({
      run_id,
      title: 'Mending',
      prompt: 'Mend it',
      state: 'SUCCEEDED',
      agent_config: config,
      creator: { uid: 'ada' },
      metadata: { team: 'blue', request_id: 'req-1' },
    });
    expect(run.session_link).toMatch(/^http/);
    expect(states.at(-1)).toBe('SUCCEEDED');
  });

  it('gives the same run for the same key, and refuses another request with it', async () => {
    const { client } = await startBoth();
    const first = await client.runs.create({ prompt: 'a' }, { idempotencyKey: 'req-1' });
    const again = await client.runs.create({ prompt: 'a' }, { idempotencyKey: 'req-1' });
    expect(again.run_id).toBe(first.run_id);
    const other = client.runs.create({ prompt: 'b' }, { idempotencyKey: 'req-1' });
    await expect(other).rejects.toMatchObject({ code: 'unprocessable', status: 422 });
  });

  it('finds a created run by its request id, as a restarted bot does', async () => {
    const { client } = await startBoth();
    const request = { prompt: 'a' };
    const attempt = describeAttempt(request, 'req-5', Date.now());
    expect(await client.runs.findCreated(attempt, { settleMs: 0 })).toEqual({ outcome: 'none' });
    const { run_id } = await client.runs.create(request, { idempotencyKey: 'req-5' });
    const found = await client.runs.findCreated(attempt);
    expect(found).toMatchObject({ outcome: 'found', isSure: true, run: { run_id } });
    const previous = await client.runs.create(request, { previous: attempt });
    expect(previous.run_id).toBe(run_id);
  });

  it('lists runs by every filter, page by page', async () => {
    const { client } = await startBoth();
    const config = { name: 'nightly', model_id: 'm-2', skill_spec: undefined };
    const before = new Date(Date.now() - 60_000).toISOString();
    const after = new Date(Date.now() + 60_000).toISOString();
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three']) {
      const { run_id } = await client.runs.create({ prompt, config, metadata: { n: prompt } });
      ids.push((await client.runs.wait(run_id, { pollMs: 5 })).run_id);
    }
    await client.runs.create({ prompt: 'four' });
    const idsOf = async (query: Parameters<typeof client.runs.list>[0]) => {
      const found: string[] = [];
      for await (const run of client.runs.list({ limit: 2, ...query })) found.push(run.run_id);
      return found.toSorted();
    };
    for (const query of [
      { name: 'nightly' },
      { config_name: 'nightly' },
      { model_id: 'm-2' },
      { name: 'nightly', creator: 'ada', source: 'API', environment_id: 'shell' },
      { name: 'nightly', state: ['SUCCEEDED', 'FAILED'] },
      { name: 'nightly', created_after: before, created_before: after, updated_after: before },
      { name: 'nightly', sort_by: 'title', sort_order: 'asc' } as const,
    ]) {
      expect(await idsOf(query), JSON.stringify(query)).toEqual(ids.toSorted());
    }
    expect(await idsOf({ q: 'three' })).toEqual([ids[2]]);
    expect(await idsOf({ metadata: { n: 'two' } })).toEqual([ids[1]]);
    expect(await idsOf({ creator: 'nobody' })).toEqual([]);
    expect(await idsOf({})).toHaveLength(4);
  });

  it('cancels a run, once, and follows up on one that is going', async () => {
    const { client } = await startBoth('sleep 30');
    const { run_id } = await client.runs.create({ prompt: 'a' });
    expect(await client.runs.followUp(run_id, 'and then?')).toEqual({ run_id });
    expect(await client.runs.cancel(run_id)).toEqual({ run_id });
    expect((await client.runs.wait(run_id, { pollMs: 10 })).state).toBe('CANCELLED');
    await expect(client.runs.cancel(run_id)).rejects.toMatchObject({ code: 'bad_request' });
    const late = client.runs.followUp(run_id, 'hello?');
    await expect(late).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('lists environments and agents', async () => {
    const { client } = await startBoth();
    const { environments } = await client.environments.list();
    expect(environments).toMatchObject([{ uid: 'shell', config: { name: 'shell' } }]);
    expect(await client.agents.list()).toEqual({ agents: [] });
  });

  it('takes the newer spelling of create by hand, and gives raw answers', async () => {
    const { client } = await startBoth();
    const created = await client.post('/agent/runs', { body: { prompt: 'a' } });
    expect(created).toMatchObject({ state: 'QUEUED' });
    const raw = await client.get('/agent/environments').asResponse();
    expect(raw.headers['content-type']).toContain('application/json');
    raw.body.resume();
  });

  it.each<[string, (client: Client) => PromiseLike<unknown>, RunsApiErrorCode, number]>([
    ['an unknown run', (c) => c.runs.get('nope'), 'not_found', 404],
    ['an unknown run to cancel', (c) => c.runs.cancel('nope'), 'not_found', 404],
    ['an unknown run to follow up on', (c) => c.runs.followUp('nope', 'x'), 'not_found', 404],
    ['a filter that is no date', (c) => c.runs.list({ created_after: 'noon' }), 'bad_request', 400],
    ['a cursor from nowhere', (c) => c.runs.list({ cursor: 'x' }), 'bad_request', 400],
    [
      'an empty follow-up',
      async (c) => c.runs.followUp((await c.runs.create({ prompt: 'a' })).run_id, ' '),
      'bad_request',
      400,
    ],
    [
      'an unknown environment',
      (c) => c.runs.create({ prompt: 'a', config: { environment_id: 'x' } }),
      'unprocessable',
      422,
    ],
    [
      'too long a prompt',
      (c) => c.runs.create({ prompt: 'x'.repeat(300_000) }),
      'unprocessable',
      422,
    ],
    [
      'too large a body',
      (c) => c.runs.create({ prompt: 'x'.repeat(3_000_000) }),
      'client_error',
      413,
    ],
    [
      'a wrong content type',
      (c) => c.post('/agent/run', { body: {}, headers: { 'content-type': 'text/plain' } }),
      'client_error',
      415,
    ],
    ['an unknown endpoint', (c) => c.get('/nothing'), 'not_found', 404],
  ])('gets a typed error for %s', async (_, call, code, status) => {
    const { client } = await startBoth();
    const error = await Promise.resolve(call(client)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, status, retryable: false, problem: { status } });
    expect(error).toHaveProperty('requestId', expect.stringMatching(/./));
  });

  it('gets a typed error for a key that is not known', async () => {
    const { service } = await startRunsService({ environments: [shellEnvironment('true')] });
    const client = testClient(service.apiUrl, { apiKey: 'another-key' });
    await expect(client.runs.list()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  });
});

describe('the public SDK on our service', () => {
  const image = { data: '', mime_type: 'image/png' as const };
  it.each<[named: string, call: (sdk: OzAPI) => Promise<unknown>]>([
    ['skill', (sdk) => sdk.agent.run({ skill: 'o/r:tidy', prompt: 'x' })],
    ['images', (sdk) => sdk.agent.run({ prompt: 'x', images: [image] })],
    ['config.worker_host', (sdk) => sdk.agent.run({ prompt: 'x', config: { worker_host: 'w' } })],
    ['skill', (sdk) => sdk.agent.runs.list({ skill: 'o/r:tidy' })],
    ['artifact_type', (sdk) => sdk.agent.runs.list({ artifact_type: 'PLAN' })],
    ['schedule_id', (sdk) => sdk.agent.runs.list({ schedule_id: 's' })],
  ])('is told that %s is not supported, and nothing starts', async (named, call) => {
    const { sdk } = await startBoth();
    const error = await call(sdk).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OzAPI.BadRequestError);
    expect(String(error)).toContain(`${named}: is not supported`);
    expect((await sdk.agent.runs.list()).runs).toEqual([]);
  });

  it('creates, gets, lists and cancels runs, and lists agents', async () => {
    const { sdk } = await startBoth('sleep 30');
    const created = await sdk.agent.run({ prompt: 'Mend it', config: { environment_id: 'shell' } });
    expect(created).toMatchObject({ state: 'QUEUED', task_id: created.run_id });
    const run = await sdk.agent.runs.retrieve(created.run_id);
    expect(run).toMatchObject({ run_id: created.run_id, prompt: 'Mend it', title: 'Mend it' });
    const { runs, page_info } = await sdk.agent.runs.list({
      limit: 1,
      state: ['QUEUED', 'INPROGRESS'],
    });
    expect([runs[0]?.run_id, page_info.has_next_page]).toEqual([created.run_id, false]);
    expect(await sdk.agent.runs.cancel(created.run_id)).toBe(created.run_id);
    const ended = async () => settled((await sdk.agent.runs.retrieve(created.run_id)).state);
    await expect.poll(ended).toBe(true);
    expect(await sdk.agent.list()).toEqual({ agents: [] });
  });

  it('gets its own error types', async () => {
    const { sdk } = await startBoth();
    await expect(sdk.agent.runs.retrieve('nope')).rejects.toBeInstanceOf(OzAPI.NotFoundError);
    const unknown = sdk.agent.run({ prompt: 'a', config: { environment_id: 'x' } });
    await expect(unknown).rejects.toBeInstanceOf(OzAPI.UnprocessableEntityError);
    const malformed = sdk.agent.runs.list({ created_after: 'noon' });
    await expect(malformed).rejects.toBeInstanceOf(OzAPI.BadRequestError);
    const stranger = sdk.withOptions({ apiKey: 'another-key' });
    await expect(stranger.agent.runs.list()).rejects.toBeInstanceOf(OzAPI.AuthenticationError);
  });
});

/** Every problem that the service knows, as this client and as the SDK name it. A new one must be added here to compile. */
const problems: Record<
  ProblemCode,
  [RunsApiErrorCode, retryable: boolean, sdk: abstract new (...parts: never[]) => Error]
> = {
  invalid_request: ['bad_request', false, OzAPI.BadRequestError],
  already_ended: ['bad_request', false, OzAPI.BadRequestError],
  authentication_required: ['unauthorized', false, OzAPI.AuthenticationError],
  not_authorized: ['forbidden', false, OzAPI.PermissionDeniedError],
  resource_not_found: ['not_found', false, OzAPI.NotFoundError],
  operation_not_supported: ['client_error', false, OzAPI.APIError],
  conflict: ['conflict', true, OzAPI.ConflictError],
  request_too_large: ['client_error', false, OzAPI.APIError],
  unsupported_media_type: ['client_error', false, OzAPI.APIError],
  cannot_be_processed: ['unprocessable', false, OzAPI.UnprocessableEntityError],
  rate_limited: ['rate_limited', true, OzAPI.RateLimitError],
  internal_error: ['server_error', true, OzAPI.InternalServerError],
  resource_unavailable: ['server_error', true, OzAPI.InternalServerError],
};

describe('every problem of our service', () => {
  it.each(Object.entries(problems))('%s is %j', async (problem, [code, retryable, sdkError]) => {
    const routes = new Hono<{ Variables: CallerVariables }>();
    routes.get('/agent/runs/:id', () => {
      throw new ApiProblem(problem as ProblemCode, 'Because.', { 'retry-after': '9' });
    });
    const keyring = createKeyring([
      { key: testKey, creator: { type: 'user', uid: 'ada', display_name: 'Ada' } },
    ]);
    const logger = createLogger('silent');
    const app = createRunsApp({ keyring, api: [routes], open: [], logger });
    const server = await listen(app, '127.0.0.1', 0);
    onTestFinished(() => server.close());
    const baseUrl = `http://127.0.0.1:${server.port}/api/v1`;
    const client = testClient(baseUrl, { apiKey: testKey, maxRetries: 0 });
    await expect(client.runs.get('r')).rejects.toMatchObject({
      code,
      retryable,
      retryAfterMs: 9_000,
      problem: { detail: 'Because.', type: expect.stringMatching(new RegExp(`${problem}$`)) },
    });
    const sdk = new OzAPI({ baseURL: baseUrl, apiKey: testKey, maxRetries: 0 });
    await expect(sdk.agent.runs.retrieve('r')).rejects.toBeInstanceOf(sdkError);
  });
});

type Client = ReturnType<typeof testClient>;
