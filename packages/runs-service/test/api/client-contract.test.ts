import OzAPI from 'oz-agent-sdk';
import type { Artifact } from 'runs-client/artifact';
import { describeAttempt } from 'runs-client/create-attempt';
import type { RunsApiErrorCode } from 'runs-client/runs-api-error';
import { describe, expect, it } from 'vitest';
import { testClient } from '../../../runs-client/test/support/api-server.ts';
import { shellEnvironment, startRunsService, testKey } from '../support/runs-service.ts';

const settled = (state: string) => ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(state);

/** Starts the service, with our client and the public SDK. */
async function startBoth(script = 'true') {
  const environments = [shellEnvironment(script, { repositories: [] })];
  const { service } = await startRunsService({ environments });
  const baseUrl = service.apiUrl;
  const client = testClient(baseUrl, { apiKey: testKey, maxRetries: 0 });
  const sdk = new OzAPI({ baseURL: baseUrl, apiKey: testKey, maxRetries: 0 });
  return { client, sdk, baseUrl };
}

describe('our client with our service', () => {
  it('reads the usage of models', async () => {
    const { client } = await startBoth();
    const report = await client.usage({ since: '2026-11-01', group_by: 'day' });
    expect(report).toMatchObject({ since: '2026-11-01T00:00:00.000Z', cost_usd: 0, groups: [] });
  });

  it('creates a run, waits for its end and gets its details', async () => {
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

  it('finds a created run by its request id, like a restarted bot', async () => {
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

  it('cancels a run once, and sends a follow-up to an active run', async () => {
    const { client } = await startBoth('sleep 30');
    const { run_id } = await client.runs.create({ prompt: 'a' });
    expect(await client.runs.followUp(run_id, 'and then?')).toEqual({ run_id });
    expect(await client.runs.cancel(run_id)).toEqual({ run_id });
    expect((await client.runs.wait(run_id, { pollMs: 10 })).state).toBe('CANCELLED');
    await expect(client.runs.cancel(run_id)).rejects.toMatchObject({ code: 'bad_request' });
    const late = client.runs.followUp(run_id, 'hello?');
    await expect(late).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('lists environments and agents, and supports raw requests, such as the other path to create a run', async () => {
    const { client } = await startBoth();
    const { environments } = await client.environments.list();
    expect(environments).toMatchObject([{ uid: 'shell', config: { name: 'shell' } }]);
    expect(await client.agents.list()).toEqual({ agents: [] });
    const created = await client.post('/agent/runs', { body: { prompt: 'a' } });
    expect(created).toMatchObject({ state: 'QUEUED' });
    const raw = await client.get('/agent/environments').asResponse();
    expect(raw.headers['content-type']).toContain('application/json');
    raw.body.resume();
  });

  it('creates, reads, lists, replaces, pauses, resumes and deletes schedules', async () => {
    const { client } = await startBoth();
    const nightly = { name: 'Nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy up' };
    const made = await client.schedules.create(nightly, { idempotencyKey: 'nightly' });
    expect(made).toMatchObject({ ...nightly, enabled: true, time_zone: 'UTC' });
    expect((await client.schedules.create(nightly, { idempotencyKey: 'nightly' })).id).toBe(
      made.id,
    );
    expect(await client.schedules.get(made.id)).toEqual(made);
    expect((await client.schedules.list()).schedules).toEqual([made]);
    const weekly = await client.schedules.update(made.id, { ...nightly, name: 'Weekly' });
    expect(weekly.name).toBe('Weekly');
    expect((await client.schedules.pause(made.id)).enabled).toBe(false);
    expect((await client.schedules.resume(made.id)).enabled).toBe(true);
    expect(await client.schedules.delete(made.id)).toEqual({ success: true });
    await expect(client.schedules.get(made.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  const mistakes: [string, (client: Client) => PromiseLike<unknown>, RunsApiErrorCode, number][] = [
    ['an unknown run', (c) => c.runs.get('nope'), 'not_found', 404],
    ['an unknown run to cancel', (c) => c.runs.cancel('nope'), 'not_found', 404],
    ['an unknown run to follow up on', (c) => c.runs.followUp('nope', 'x'), 'not_found', 404],
    [
      'a filter with an invalid date',
      (c) => c.runs.list({ created_after: 'noon' }),
      'bad_request',
      400,
    ],
    ['an invalid cursor', (c) => c.runs.list({ cursor: 'x' }), 'bad_request', 400],
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
      (c) => c.runs.followUp('no-run', 'x'.repeat(3_000_000)),
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
  ];
  it('gets a typed error for every mistake', async () => {
    const { baseUrl } = await startBoth();
    for (const [what, call, code, status] of mistakes) {
      // Use a new client for each call, because the service closes the connection after a body that it doesn't read.
      const client = testClient(baseUrl, { apiKey: testKey, maxRetries: 0 });
      const error = await Promise.resolve(call(client)).catch((reason: unknown) => reason);
      expect(error, what).toMatchObject({ code, status, retryable: false, problem: { status } });
      expect(error, what).toHaveProperty('requestId', expect.stringMatching(/./));
    }
    const stranger = testClient(baseUrl, { apiKey: 'another-key' });
    await expect(stranger.runs.list()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  });
});

describe('the public SDK with our service', () => {
  it('gets an artifact and its file', async () => {
    const { client, sdk } = await startBoth('echo three > "$AGENT_ARTIFACTS_DIR/notes.txt"');
    const { run_id } = await sdk.agent.run({ prompt: 'x' });
    const run = await client.runs.wait(run_id, { pollMs: 10 });
    const uid = String(run.artifacts?.[0]?.data?.['artifact_uid']);
    // The SDK's published version has no method for artifacts yet.
    const artifact: Artifact = await sdk.get(`/agent/artifacts/${uid}`);
    expect(artifact).toMatchObject({ artifact_type: 'FILE', artifact_uid: uid });
    const { download_url: url = '', size_bytes: size } = (await client.artifacts.get(uid)).data;
    const { bytes, contentType } = await client.artifacts.download(url ?? '', { maxBytes: 10_000 });
    expect([contentType, bytes.length]).toEqual(['text/plain; charset=utf-8', size]);
    expect(bytes.toString()).toBe('three\n');
  });

  it('starts a skill without a prompt, and sends follow-ups in the mode that it always names', async () => {
    const { client, sdk } = await startBoth('sleep 30');
    const { run_id } = await sdk.agent.run({ skill: 'o/r:tidy', team: false });
    expect((await client.runs.get(run_id)).agent_config?.skill_spec).toBe('o/r:tidy');
    const body = { message: 'and then?', mode: 'normal' };
    expect(await sdk.post(`/agent/runs/${run_id}/followups`, { body })).toEqual({ run_id });
    const ours = await client.runs.create({ skill: 'o/r:tidy' });
    expect((await client.runs.get(ours.run_id)).prompt).toContain('tidy');
    const empty = client.runs.create({ title: 'Tidy' });
    await expect(empty).rejects.toMatchObject({ code: 'invalid_request', sent: false });
  });

  it('creates one run with an Idempotency-Key, and two without, if it retries after a lost response', async () => {
    const { baseUrl } = await startBoth('true');
    const runsAfter = async (headers: Record<string, string>) => {
      let calls = 0;
      const losesFirst: typeof fetch = async (url, init) => {
        calls += 1;
        const response = await fetch(url, init);
        if (calls === 1) throw new TypeError('the response was lost');
        return response;
      };
      const sdk = new OzAPI({ baseURL: baseUrl, apiKey: testKey, fetch: losesFirst });
      const before = (await sdk.agent.runs.list()).runs.length;
      calls = 0;
      await sdk.agent.run({ prompt: 'x' }, { headers });
      return (await sdk.agent.runs.list()).runs.length - before;
    };
    expect(await runsAfter({ 'Idempotency-Key': 'nightly-17' })).toBe(1);
    expect(await runsAfter({})).toBe(2);
  });

  const image = { data: '', mime_type: 'image/png' as const };
  const unsupported: [named: string, call: (sdk: OzAPI) => Promise<unknown>][] = [
    ['images', (sdk) => sdk.agent.run({ prompt: 'x', images: [image] })],
    ['config.worker_host', (sdk) => sdk.agent.run({ prompt: 'x', config: { worker_host: 'w' } })],
    ['skill', (sdk) => sdk.agent.runs.list({ skill: 'o/r:tidy' })],
    ['artifact_type', (sdk) => sdk.agent.runs.list({ artifact_type: 'PLAN' })],
    ['schedule_id', (sdk) => sdk.agent.runs.list({ schedule_id: 's' })],
  ];
  it('gets an error that names what is unsupported, and no run starts', async () => {
    const { sdk } = await startBoth();
    for (const [named, call] of unsupported) {
      const error = await call(sdk).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OzAPI.BadRequestError);
      expect(String(error)).toContain(`${named}: isn't supported`);
    }
    expect((await sdk.agent.runs.list()).runs).toEqual([]);
  });

  it('creates, gets, lists, replaces, pauses, resumes and deletes schedules', async () => {
    const { sdk } = await startBoth();
    const { schedules } = sdk.agent;
    const agent_config = { environment_id: 'shell' };
    const daily = { name: 'Daily', cron_schedule: '0 9 * * *', prompt: 'Review', enabled: true };
    const made = await schedules.create({ ...daily, agent_config, team: false });
    expect(made).toMatchObject({ ...daily, agent_config, created_by: { uid: 'ada' } });
    expect(made.history?.next_run).toMatch(/T09:00:00/);
    expect(await schedules.retrieve(made.id)).toEqual(made);
    expect((await schedules.list()).schedules).toEqual([made]);
    const changed = await schedules.update(made.id, { ...daily, name: 'Renamed' });
    expect(changed).toMatchObject({ name: 'Renamed', agent_config });
    expect((await schedules.pause(made.id)).enabled).toBe(false);
    expect((await schedules.resume(made.id)).enabled).toBe(true);
    expect(await schedules.delete(made.id)).toEqual({ success: true });
    await expect(schedules.retrieve(made.id)).rejects.toBeInstanceOf(OzAPI.NotFoundError);
    const teams = schedules.create({ ...daily, team: true });
    await expect(teams).rejects.toThrow('team');
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
});

type Client = ReturnType<typeof testClient>;
