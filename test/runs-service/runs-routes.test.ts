import { describe, expect, it } from 'vitest';
import { listRunsResponseSchema, problemSchema, runSchema } from '../../src/runs-api/contract.ts';
import { maxPromptCharacters } from '../../src/runs-service/create-run.ts';
import { shellEnvironment, startRunsService, testKey } from '../support/runs-service.ts';

const quick = () => startRunsService({ environments: [shellEnvironment('true')] });

describe('creating a run', () => {
  it('answers with the run before the agent has started, at both paths', async () => {
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

  it('keeps unknown fields out without complaint', async () => {
    const { create, get } = await quick();
    const answer = await create({ prompt: 'x', surprise: 1, config: { surprise: 2 } });
    const { run_id } = (await answer.json()) as { run_id: string };
    expect(JSON.stringify(await get(run_id))).not.toContain('surprise');
  });

  it('takes the name of the skill as the configuration name', async () => {
    const { begin, get } = await quick();
    const named = await begin({ prompt: 'x', config: { skill_spec: 'o/r:todo-report' } });
    expect((await get(named)).agent_config?.name).toBe('todo-report');
    const path = 'o/r:.claude/skills/tidy/SKILL.md';
    const placed = await begin({ prompt: 'x', config: { skill_spec: path } });
    expect((await get(placed)).agent_config?.name).toBe('tidy');
    const own = await begin({ prompt: 'x', config: { skill_spec: 'o/r:a', name: 'mine' } });
    expect((await get(own)).agent_config?.name).toBe('mine');
  });

  const json = { 'content-type': 'application/json' };
  const refused: [name: string, init: RequestInit, status: number, says: RegExp][] = [
    ['malformed JSON', { body: '{"prompt":', headers: json }, 400, /not valid JSON/],
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
      'MCP servers that are none',
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
      'a body of 3 MB',
      { body: JSON.stringify({ prompt: 'x'.repeat(3_000_000) }), headers: json },
      413,
      /2097152 bytes/,
    ],
    [
      'a long title',
      { body: JSON.stringify({ prompt: 'x', title: 't'.repeat(501) }), headers: json },
      422,
      /title/,
    ],
    [
      'a bad metadata key',
      { body: '{"prompt":"x","metadata":{"a b":"c"}}', headers: json },
      400,
      /metadata/,
    ],
  ];
  it.each(refused)('refuses %s with problem details', async (_name, init, status, says) => {
    const { request } = await quick();
    const answer = await request('/agent/run', { method: 'POST', ...init });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const problem = problemSchema.parse(await answer.json());
    expect(problem.status).toBe(status);
    expect(problem.detail).toMatch(says);
    expect(problem.type).toMatch(/^urn:slash-agent:problem:[a-z_]+$/);
  });
});

describe('Idempotency-Key', () => {
  it('gives the same run for the same body, also when both come at once', async () => {
    const { create, request } = await quick();
    const headers = { 'idempotency-key': 'k1' };
    const answers = await Promise.all([1, 2, 3].map(() => create({ prompt: 'x' }, headers)));
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as {
      run_id: string;
    }[];
    expect(new Set(bodies.map(({ run_id }) => run_id)).size).toBe(1);
    const list = listRunsResponseSchema.parse(await (await request('/agent/runs')).json());
    expect(list.runs).toHaveLength(1);
  });

  it('refuses another body with the same key', async () => {
    const { create } = await quick();
    await create({ prompt: 'x' }, { 'idempotency-key': 'k1' });
    const answer = await create({ prompt: 'y' }, { 'idempotency-key': 'k1' });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('Idempotency-Key');
  });
});

describe('keys', () => {
  const strangers: [name: string, headers: Record<string, string>][] = [
    ['no key', {}],
    ['an unknown key', { authorization: 'Bearer nobody-knows-this' }],
    ['another scheme', { authorization: `Basic ${testKey}` }],
  ];
  it.each(strangers)('answers 401 to %s', async (_name, headers) => {
    const { service } = await quick();
    for (const path of ['/agent/runs', '/agent/runs/x', '/agent/environments', '/nothing']) {
      const answer = await fetch(`${service.apiUrl}${path}`, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(await answer.text()).not.toContain('nobody-knows-this');
    }
  });
});

describe('what is not there', () => {
  it('is a problem, too', async () => {
    const { request, service } = await quick();
    for (const path of ['/agent/runs/unknown', '/agent/nothing']) {
      const answer = await request(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
    expect((await fetch(`${service.url}/session/guess`)).status).toBe(404);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});
