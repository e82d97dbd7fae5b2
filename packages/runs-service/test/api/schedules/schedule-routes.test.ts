import type { Schedule } from 'runs-client/schedule';
import { describe, expect, it } from 'vitest';
import type { ServiceKey } from '../../../src/api/keys/keyring.ts';
import { maxSchedules } from '../../../src/store/schedules.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';

const person = (name: string) => ({ type: 'user', uid: name, display_name: name }) as const;
const keyOf = (name: string) => `test-key-of-${name}-0123456789abcdefgh`;
const keys: ServiceKey[] = [
  { key: testKey, role: 'all', creator: person('ada') },
  { key: keyOf('bob'), role: 'own', creator: person('bob') },
  { key: keyOf('cleo'), role: 'own', creator: person('cleo') },
  { key: keyOf('rita'), role: 'read', creator: person('rita') },
];

const nightly = {
  name: 'Nightly',
  cron_schedule: '30 3 * * 1-5',
  time_zone: 'Europe/Berlin',
  prompt: 'Tidy up',
  agent_config: { environment_id: 'shell', mcp_servers: { m: { url: 'https://m.test/?key=1' } } },
  metadata: { team: 'blue' },
};

async function start() {
  const { request } = await startRunsService({ environments: [shellEnvironment('true')], keys });
  const call = async (method: string, path: string, body?: unknown, as = testKey, more = {}) => {
    const response = await request(`/agent/schedules${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...more },
      ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Schedule & Problem };
  };
  return { call, request };
}
type Problem = { detail: string };

describe('a schedule', () => {
  it('is created, read, paused, resumed, replaced and deleted', async () => {
    const { call } = await start();
    const { status, body: created } = await call('POST', '', nightly);
    expect(status).toBe(200);
    expect(created).toMatchObject({
      ...nightly,
      enabled: true,
      created_by: person('ada'),
      history: { last_ran: null, next_run: expect.stringMatching(/T0[12]:30:00\.000Z$/) },
      last_spawn_error: null,
    });
    const path = `/${created.id}`;
    expect((await call('GET', path)).body).toEqual(created);

    const paused = (await call('POST', `${path}/pause`)).body;
    expect(paused).toMatchObject({ enabled: false, history: { next_run: null } });
    expect((await call('POST', `${path}/pause`)).body).toEqual(paused);
    const resumed = (await call('POST', `${path}/resume`)).body;
    expect(resumed).toMatchObject({ enabled: true, history: created.history });
    expect(Date.parse(resumed.updated_at)).toBeGreaterThan(Date.parse(created.updated_at));

    const next = { name: 'Weekly', cron_schedule: '0 9 * * 1', prompt: 'x', enabled: false };
    const replaced = (await call('PUT', path, next)).body;
    const { agent_config, metadata, time_zone } = nightly;
    expect(replaced).toMatchObject({ ...next, agent_config, metadata, time_zone });
    expect((await call('PUT', path, { ...next, agent_config: {} })).body.agent_config).toEqual({});

    expect((await call('DELETE', path)).body).toEqual({ success: true });
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('DELETE', path)).status).toBe(404);
  });

  it('has UTC, a paused state, and a prompt made of its skill, if these are given', async () => {
    const { call } = await start();
    const { body } = await call('POST', '', {
      name: 'Skill',
      cron_schedule: ' 0 9 * * * ',
      enabled: false,
      agent_config: { skill_spec: 'o/r:tidy' },
    });
    expect(body).toMatchObject({ time_zone: 'UTC', cron_schedule: '0 9 * * *', enabled: false });
    expect(body.prompt).toContain('o/r:tidy');
    expect(body.history?.next_run).toBeNull();
  });

  it('is visible to its owner and to keys that see all, and only its owner changes what it starts', async () => {
    const { call } = await start();
    const { body } = await call('POST', '', nightly, keyOf('bob'));
    const path = `/${body.id}`;
    const names = async (as: string) =>
      (
        (await call('GET', '', undefined, as)).body as unknown as { schedules: Schedule[] }
      ).schedules.map(({ name }) => name);
    await call('POST', '', { ...nightly, name: 'a first one' }, keyOf('bob'));
    expect(await names(keyOf('bob'))).toEqual(['a first one', 'Nightly']);
    expect(await names(keyOf('cleo'))).toEqual([]);
    expect(await names(keyOf('rita'))).toHaveLength(2);
    for (const [method, end] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
    ] as const)
      expect((await call(method, path + end, nightly, keyOf('cleo'))).status).toBe(404);

    // Keys for MCP servers are only for the owner.
    const seen = (await call('GET', path, undefined, keyOf('rita'))).body;
    expect(seen.agent_config?.mcp_servers).toEqual({ m: { url: 'https://m.test' } });
    expect((await call('DELETE', path, undefined, keyOf('rita'))).status).toBe(403);

    const replaced = await call('PUT', path, { ...nightly, prompt: 'Leak it' });
    expect([replaced.status, replaced.body.detail]).toEqual([403, expect.stringContaining('bob')]);
    const paused = await call('POST', `${path}/pause`);
    expect(paused.body).toMatchObject({
      enabled: false,
      created_by: person('bob'),
      updated_by: person('ada'),
    });
    expect((await call('DELETE', path)).status).toBe(200);
  });

  it('is created once per idempotency key', async () => {
    const { call, request } = await start();
    const key = { 'idempotency-key': 'nightly' };
    const made = await Promise.all([1, 2, 3].map(() => call('POST', '', nightly, testKey, key)));
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    const other = await call('POST', '', { ...nightly, prompt: 'Other' }, testKey, key);
    expect(other.status).toBe(422);
    const bobs = await call('POST', '', nightly, keyOf('bob'), key);
    expect(bobs.body.created_by).toEqual(person('bob'));
    const list = (await (await request('/agent/schedules')).json()) as { schedules: Schedule[] };
    expect(list.schedules).toHaveLength(2);
  });

  it.each<[change: object, status: number, why: string]>([
    [{ cron_schedule: '* * * * * *' }, 400, 'cron_schedule: it needs five fields'],
    [{ cron_schedule: '@daily' }, 400, 'cron_schedule: it needs five fields'],
    [{ cron_schedule: '0 0 30 2 *' }, 400, 'cron_schedule: no time matches it'],
    [{ cron_schedule: '61 * * * *' }, 400, 'cron_schedule: Invalid value for minute: 61'],
    [{ cron_schedule: 7 }, 400, 'cron_schedule:'],
    [{ cron_schedule: `${'1,'.repeat(200)}1 * * * *` }, 422, 'cron_schedule: is longer than 200'],
    [{ time_zone: 'Mars/Base' }, 400, 'time_zone: must be an IANA time zone'],
    [{ time_zone: '' }, 400, 'time_zone: must be an IANA time zone'],
    [{ name: ' \n' }, 400, 'name: must not be empty'],
    [{ name: 'x'.repeat(501) }, 422, 'name: is longer than 500'],
    [{ prompt: ' ' }, 400, 'prompt: must not be empty without a skill'],
    [{ prompt: 'x'.repeat(200_001) }, 422, 'prompt: has 200001 characters'],
    [{ prompt: '\0' }, 422, 'NUL'],
    [
      { agent_config: { environment_id: 'none' } },
      422,
      'agent_config.environment_id: environment "none"',
    ],
    [{ agent_config: { worker_host: 'w' } }, 400, "agent_config.worker_host: isn't supported"],
    [{ metadata: { 'a b': 'c' } }, 400, 'metadata'],
    [{ mode: 'plan' }, 400, 'mode:'],
    [{ team: true }, 400, 'team:'],
    [{ limits: {} }, 400, "limits: isn't supported"],
  ])('is rejected with %j', async (change, status, why) => {
    const { call } = await start();
    const created = await call('POST', '', { ...nightly, ...change });
    expect([created.status, created.body.detail]).toEqual([status, expect.stringContaining(why)]);
    const { body } = await call('POST', '', nightly);
    expect((await call('PUT', `/${body.id}`, { ...nightly, ...change })).status).toBe(status);
    expect((await call('GET', `/${body.id}`)).body).toEqual(body);
  });

  it('masks secrets in its name, because names are shown in lists', async () => {
    const { call } = await start();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { body } = await call('POST', '', { ...nightly, name: `Use ${secret}` });
    expect(body.name).not.toContain(secret);
  });

  it('is one of a limited number for each owner', async () => {
    const { call } = await start();
    for (let at = 0; at < maxSchedules; at += 1)
      await call('POST', '', { ...nightly, name: `n${at}` }, keyOf('bob'));
    const over = await call('POST', '', nightly, keyOf('bob'));
    expect([over.status, over.body.detail]).toEqual([
      422,
      expect.stringContaining('100 schedules'),
    ]);
    expect((await call('POST', '', nightly, keyOf('cleo'))).status).toBe(200);
  });
});
