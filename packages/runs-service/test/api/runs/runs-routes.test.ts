import { listRunsResponseSchema, problemSchema, runSchema } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { maxPromptCharacters } from '../../../src/api/runs/create-request.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';

const file = (data: string) => ({ file_name: 'a.png', mime_type: 'image/png', data });

const quick = () =>
  startRunsService({ environments: [shellEnvironment('true', { repositories: [] })] });

describe('creating a run', () => {
  it('returns the run before the agent starts, at both paths', async () => {
    const { request, create, get } = await quick();
    const answer = await create({ prompt: 'one', title: 'A title', metadata: { team: 'T1' } });
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as { run_id: string; task_id: string; state: string };
    expect(body).toEqual({ run_id: body.run_id, task_id: body.run_id, state: 'QUEUED' });
    const run = runSchema.parse(await get(body.run_id));
    expect(run).toMatchObject({
      title: 'A title',
      metadata: { team: 'T1' },
      creator: { type: 'user', uid: 'ada', display_name: 'Ada' },
      source: 'API',
      agent_config: { environment_id: 'shell' },
    });
    const newer = await request('/agent/runs', {
      method: 'POST',
      body: '{"prompt":"two"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(newer.status).toBe(200);
  });

  const unsupported: [body: object, named: string[]][] = [
    [{ mode: 'plan', interactive: true, team: true }, ['mode', 'interactive', 'team']],
    [{ parent_run_id: 'r', agent_identity_uid: 'a' }, ['parent_run_id', 'agent_identity_uid']],
    [{ environment_id: 'shell' }, ['environment_id']],
    [{ config: { worker_host: 'w', computer_use_enabled: true } }, ['config.worker_host']],
    [{ images: [], config: { modell: 'm' } }, ['images', 'config.modell']],
  ];
  it('names unsupported members, and no run starts', async () => {
    const { create, request } = await quick();
    for (const [more, named] of unsupported) {
      const answer = await create({ prompt: 'x', ...more });
      expect(answer.status).toBe(400);
      const { detail } = problemSchema.parse(await answer.json());
      for (const name of named) expect(detail).toContain(`${name}: isn't supported`);
    }
    const list = listRunsResponseSchema.parse(await (await request('/agent/runs')).json());
    expect(list.runs).toEqual([]);
  });

  it('accepts NUL characters in words, the only values that it supports, and unknown members of MCP servers', async () => {
    const { begin, get } = await quick();
    const prompt = 'Why is \\u0000 rejected?';
    const mcp_servers = { docs: { url: 'https://mcp.example.com', type: 'http' } };
    const config = { mcp_servers };
    const run = await get(
      await begin({ prompt, mode: 'normal', interactive: false, team: false, config }),
    );
    expect(run.prompt).toBe(prompt);
    expect(run.agent_config?.mcp_servers).toHaveProperty('docs');
  });

  it("uses the skill's name as the configuration name", async () => {
    const { begin, get } = await quick();
    const named = await begin({ prompt: 'x', config: { skill_spec: 'o/r:todo-report' } });
    expect((await get(named)).agent_config?.name).toBe('todo-report');
    const path = 'o/r:.claude/skills/tidy/SKILL.md';
    const placed = await begin({ prompt: 'x', config: { skill_spec: path } });
    expect((await get(placed)).agent_config?.name).toBe('tidy');
    const own = await begin({ prompt: 'x', config: { skill_spec: 'o/r:a', name: 'mine' } });
    expect((await get(own)).agent_config?.name).toBe('mine');
  });

  it('takes a skill at the top level, which goes before that of the configuration, and needs no prompt then', async () => {
    const { begin, get, create } = await quick();
    const run = await get(
      await begin({ skill: 'o/r:tidy', config: { skill_spec: 'o/r:other', model_id: 'm' } }),
    );
    expect(run).toMatchObject({
      title: 'Follow the skill o/r:tidy.',
      prompt: 'Follow the skill o/r:tidy.',
      agent_config: { skill_spec: 'o/r:tidy', name: 'tidy', model_id: 'm' },
    });
    const blank = await get(await begin({ prompt: ' ', config: { skill_spec: 'o/r:tidy' } }));
    expect(blank.prompt).toBe('Follow the skill o/r:tidy.');
    const both = await get(await begin({ prompt: 'Only src', skill: 'o/r:tidy' }));
    expect(both).toMatchObject({ prompt: 'Only src', agent_config: { skill_spec: 'o/r:tidy' } });
    for (const body of [{}, { prompt: '' }, { config: { model_id: 'm' } }])
      expect((await create(body)).status).toBe(400);
  });

  const json = { 'content-type': 'application/json' };
  const rejected: [name: string, init: RequestInit, status: number, says: RegExp][] = [
    ['malformed JSON', { body: '{"prompt":', headers: json }, 400, /isn't valid JSON/],
    ['an array', { body: '[]', headers: json }, 400, /body: /],
    ['no prompt', { body: '{}', headers: json }, 400, /prompt: /],
    [
      'a blank prompt',
      { body: '{"prompt":" \\n "}', headers: json },
      400,
      /prompt: must not be empty/,
    ],
    [
      'another content type',
      { body: '{"prompt":"x"}', headers: { 'content-type': 'text/plain' } },
      415,
      /application\/json/,
    ],
    ['a NUL character', { body: '{"prompt":"a\\u0000b"}', headers: json }, 422, /NUL/],
    [
      'an unknown environment',
      { body: '{"prompt":"x","config":{"environment_id":"nope"}}', headers: json },
      422,
      /"nope".*shell/,
    ],
    [
      'invalid MCP servers',
      { body: '{"prompt":"x","config":{"mcp_servers":{"a":{}}}}', headers: json },
      400,
      /mcp_servers\.a/,
    ],
    [
      'a prompt of 1 MB',
      { body: JSON.stringify({ prompt: 'x'.repeat(1_000_000) }), headers: json },
      422,
      new RegExp(String(maxPromptCharacters)),
    ],
    [
      'a body of 17 MB',
      { body: JSON.stringify({ prompt: 'x'.repeat(17_000_000) }), headers: json },
      413,
      /16 MiB/,
    ],
    [
      'six files',
      {
        body: JSON.stringify({ prompt: 'x', attachments: Array(6).fill(file('')) }),
        headers: json,
      },
      422,
      /attachments: has more than 5 files/,
    ],
    [
      '11 MiB of files',
      {
        body: JSON.stringify({ prompt: 'x', attachments: [file('x'.repeat(15_000_000))] }),
        headers: json,
      },
      400,
      /attachments: has more than 10 MiB/,
    ],
    [
      'a file that is not base64',
      { body: JSON.stringify({ prompt: 'x', attachments: [file('?')] }), headers: json },
      400,
      /attachments.0.data: isn't base64/,
    ],
    [
      'a long title',
      { body: JSON.stringify({ prompt: 'x', title: 't'.repeat(501) }), headers: json },
      422,
      /title/,
    ],
    ...(
      [
        ['base_prompt', 'b'.repeat(200_001), 'config.base_prompt'],
        ['mcp_servers', { a: { command: 'a'.repeat(60_000) } }, 'mcp_servers.a.command'],
        ['mcp_servers', { a: { url: `x://${'a'.repeat(60_000)}` } }, 'mcp_servers.a.url'],
        ['mcp_servers', { a: { command: 'a', args: ['a'.repeat(60_000)] } }, 'a.args.0'],
        ['mcp_servers', { a: { url: 'x', headers: { k: 'v'.repeat(60_000) } } }, 'a.headers.k'],
      ] as const
    ).map(([member, value, named]): [string, RequestInit, number, RegExp] => [
      `a long ${named}`,
      { body: JSON.stringify({ prompt: 'x', config: { [member]: value } }), headers: json },
      422,
      new RegExp(`${named}: is longer than`),
    ]),
    ...[
      '[',
      '{"prompt":"x","a":',
      '{"prompt":"x","config":{"mcp_servers":{"a":{"url":"x","b":',
    ].map((start): [string, RequestInit, number, RegExp] => [
      `100,000-fold nested JSON after ${start}`,
      {
        body: `${start}${'['.repeat(100_000)}${']'.repeat(100_000)}${{ '[': ']' }[start] ?? '}'.repeat(start.split('{').length - 1)}`,
        headers: json,
      },
      400,
      /nested more than 100 levels/,
    ]),
    [
      'metadata with a million keys',
      {
        body: `{"prompt":"x","metadata":{${'"key":"v",'.repeat(1_000_000)}"key":"v"}}`,
        headers: json,
      },
      400,
      /more than 10000 elements/,
    ],
    [
      'long configurations of MCP servers',
      {
        body: JSON.stringify({
          prompt: 'x',
          config: {
            mcp_servers: { a: { command: 'a', args: Array(10).fill('a'.repeat(30_000)) } },
          },
        }),
        headers: json,
      },
      400,
      /mcp_servers: has more than 262144 characters/,
    ],
    [
      'a body in another encoding',
      { body: Buffer.from('{"prompt":"Z\xfcrich"}', 'latin1'), headers: json },
      400,
      /isn't valid UTF-8/,
    ],
    [
      'a long Idempotency-Key',
      { body: '{"prompt":"x"}', headers: { ...json, 'idempotency-key': 'k'.repeat(5_000) } },
      400,
      /Idempotency-Key/,
    ],
    [
      'a bad metadata key',
      { body: '{"prompt":"x","metadata":{"a b":"c"}}', headers: json },
      400,
      /metadata/,
    ],
  ];
  it('rejects mistakes with problem details', async () => {
    const { request } = await quick();
    for (const [name, init, status, says] of rejected) {
      const answer = await request('/agent/run', { method: 'POST', ...init });
      expect([name, answer.status]).toEqual([name, status]);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      const problem = problemSchema.parse(await answer.json());
      expect(problem.status).toBe(status);
      expect(problem.detail).toMatch(says);
      expect(problem.type).toMatch(/^urn:slash-agent:problem:[a-z_]+$/);
    }
  });
});

it('an Idempotency-Key returns the same run for the same body, even at the same time, and rejects another', async () => {
  const { create, request } = await quick();
  const headers = { 'idempotency-key': 'k1' };
  const answers = await Promise.all([1, 2, 3].map(() => create({ prompt: 'x' }, headers)));
  const bodies = await Promise.all(
    answers.map((each) => each.json() as Promise<{ run_id: string }>),
  );
  expect(new Set(bodies.map(({ run_id }) => run_id)).size).toBe(1);
  const list = listRunsResponseSchema.parse(await (await request('/agent/runs')).json());
  expect(list.runs).toHaveLength(1);
  const other = await create({ prompt: 'y' }, headers);
  expect(other.status).toBe(422);
  expect(await other.text()).toContain('Idempotency-Key');
});

it('strangers get 401, whatever they ask for', async () => {
  const { service } = await quick();
  const strangers: Record<string, string>[] = [
    {},
    { authorization: 'Bearer nobody-knows-this' },
    { authorization: `Basic ${testKey}` },
  ];
  for (const headers of strangers)
    for (const path of ['/agent/runs', '/agent/runs/x', '/agent/environments', '/nothing']) {
      const answer = await fetch(`${service.apiUrl}${path}`, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(await answer.text()).not.toContain('nobody-knows-this');
    }
});

it('something that does not exist is answered with a problem', async () => {
  const { request, service } = await quick();
  for (const path of ['/agent/runs/unknown', '/agent/nothing']) {
    const answer = await request(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  }
  expect((await fetch(`${service.url}/session/guess`)).status).toBe(404);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});
