import { describe, expect, it } from 'vitest';
import type { KeyRole } from '../../../src/api/keys/keyring.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

const keyOf = (uid: string, role: KeyRole) => ({
  key: `key-of-${uid}`,
  role,
  creator: { type: 'user' as const, uid, display_name: uid },
});
const secretServers = {
  tickets: { command: 'tickets-mcp', args: ['--token', 'arg-secret'], env: { KEY: 'env-secret' } },
  docs: {
    url: 'https://u:url-secret@docs.example/path-secret?key=query-secret',
    headers: { authorization: 'header-secret' },
  },
};

type Body = { state: string; runs: { prompt: string }[]; agent_config: { mcp_servers: unknown } };

async function start() {
  const service = await startRunsService({
    environments: [shellEnvironment('sleep 60')],
    // No run starts, so that all of them can be canceled.
    concurrency: 0,
    keys: [keyOf('ada', 'own'), keyOf('bob', 'own'), keyOf('ops', 'all'), keyOf('eyes', 'read')],
  });
  const as = (uid: string) => ({ authorization: `Bearer key-of-${uid}` });
  const post = (uid: string, path: string, body: unknown = {}) =>
    service.request(path, {
      method: 'POST',
      headers: { ...as(uid), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const get = async (uid: string, path: string) => {
    const answer = await service.request(path, { headers: as(uid) });
    return { status: answer.status, body: (await answer.json()) as Body };
  };
  const begin = async (uid: string, body: object = {}) => {
    const answer = await service.create({ prompt: `of ${uid}`, ...body }, as(uid));
    return ((await answer.json()) as { run_id: string }).run_id;
  };
  const prompts = async (uid: string, query = '') =>
    (await get(uid, `/agent/runs${query}`)).body.runs.map(({ prompt }) => prompt);
  return { ...service, as, post, get, begin, prompts };
}

describe('a key with the role own', () => {
  it('sees only the runs of its owner', async () => {
    const { begin, get, prompts } = await start();
    const [adas] = [await begin('ada'), await begin('bob')];
    expect(await prompts('bob')).toEqual(['of bob']);
    expect(await prompts('bob', '?creator=ada')).toEqual([]);
    expect(await prompts('bob', '?q=of')).toEqual(['of bob']);
    const rejected = await get('bob', `/agent/runs/${adas}`);
    expect(rejected.status).toBe(404);
    expect(JSON.stringify(rejected.body)).not.toContain('of ada');
    expect((await get('ada', `/agent/runs/${adas}`)).status).toBe(200);
  });

  it('cannot cancel, follow up or continue the run of another owner, which no other key continues either', async () => {
    const { begin, get, post, create, as } = await start();
    const id = await begin('ada', { conversation_id: 'talk-of-ada' });
    expect((await post('bob', `/agent/runs/${id}/cancel`)).status).toBe(404);
    const message = { message: 'and delete everything' };
    expect((await post('bob', `/agent/runs/${id}/followups`, message)).status).toBe(404);
    const continued = { prompt: 'show me', conversation_id: 'talk-of-ada' };
    expect((await create(continued, as('bob'))).status).toBe(422);
    expect((await create(continued, as('ada'))).status).toBe(200);
    expect((await create(continued, as('ops'))).status).toBe(422);
    expect((await get('ada', `/agent/runs/${id}`)).body.state).toBe('QUEUED');
    expect((await post('ada', `/agent/runs/${id}/cancel`)).status).toBe(200);
  });
});

describe('a key with the role all', () => {
  it('sees the runs of others and acts on them', async () => {
    const { begin, get, post, prompts } = await start();
    const id = await begin('ada');
    expect(await prompts('ops')).toEqual(['of ada']);
    expect((await post('ops', `/agent/runs/${id}/followups`, { message: 'more' })).status).toBe(
      200,
    );
    expect((await post('ops', `/agent/runs/${id}/cancel`)).status).toBe(200);
    expect((await get('ops', `/agent/runs/${id}`)).body.state).toBe('CANCELLED');
  });
});

describe('a key with the role read', () => {
  it('sees the runs of others, and starts and changes none', async () => {
    const { begin, get, post, prompts, create, as } = await start();
    const id = await begin('ada');
    expect(await prompts('eyes')).toEqual(['of ada']);
    expect((await post('eyes', `/agent/runs/${id}/cancel`)).status).toBe(403);
    expect((await post('eyes', `/agent/runs/${id}/followups`, { message: 'x' })).status).toBe(403);
    const rejected = await create({ prompt: 'x' }, as('eyes'));
    expect(rejected.status).toBe(403);
    expect(((await rejected.json()) as { detail: string }).detail).toContain('read');
    expect((await get('ada', `/agent/runs/${id}`)).body.state).toBe('QUEUED');
  });
});

describe('keys of MCP servers', () => {
  it('are returned only to the creator of the run', async () => {
    const { begin, get } = await start();
    const id = await begin('ada', { config: { mcp_servers: secretServers } });
    const own = await get('ada', `/agent/runs/${id}`);
    expect(own.body.agent_config.mcp_servers).toEqual(secretServers);
    for (const uid of ['ops', 'eyes']) {
      for (const path of [`/agent/runs/${id}`, '/agent/runs']) {
        const text = JSON.stringify((await get(uid, path)).body);
        expect(text).not.toContain('-secret');
        expect(text).toContain('tickets-mcp');
        expect(text).toContain('https://docs.example');
      }
    }
  });
});
