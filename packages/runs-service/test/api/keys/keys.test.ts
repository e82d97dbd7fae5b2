import type { Run } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { readKeys } from '../../../src/api/keys/keyring.ts';
import { runKeysCommand } from '../../../src/api/keys/keys-command.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { openTestDatabase, useDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

const long = 'x'.repeat(32);

describe('RUNS_SERVICE_KEYS', () => {
  it('lists names, roles and keys', () => {
    expect(readKeys(`ada=${long}=1, service:ci:all=${long}-2,service:own=${long}\n`)).toEqual([
      {
        key: `${long}=1`,
        role: 'own',
        creator: { type: 'user', uid: 'ada', display_name: 'ada' },
      },
      {
        key: `${long}-2`,
        role: 'all',
        creator: { type: 'service_account', uid: 'ci', display_name: 'ci' },
      },
      {
        key: long,
        role: 'own',
        creator: { type: 'service_account', uid: 'own', display_name: 'own' },
      },
    ]);
  });

  it.each([
    `secret-without-name-${long}`,
    `ada=${long.slice(1)}`,
    `=${long}`,
    `a b=${long}`,
    `robot:x=${long}`,
    `ada:admin=${long}`,
  ])('rejects %s without repeating it', (entry) => {
    const read = () => readKeys(`ok=${long},${entry}`);
    expect(read).toThrow(/entry 2 must be <name>=<key>/);
    expect(read).not.toThrow(entry);
  });
});

describe('the keys command', () => {
  const db = useDatabase();

  async function keys(...args: string[]): Promise<string[]> {
    const said: string[] = [];
    await runKeysCommand(createKeyStore(db()), args, (line) => said.push(line));
    return said;
  }

  it('creates a key that works at once, and revokes it', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('true')], db: db() });
    const [key = ''] = await keys('add', 'grace', '--display-name', 'Grace H.', '--service');
    const create = () => service.create({ prompt: 'x' }, { authorization: `Bearer ${key}` });
    const answer = await create();
    expect(answer.status).toBe(200);
    const { run_id } = (await answer.json()) as { run_id: string };
    const headers = { authorization: `Bearer ${key}` };
    const run = await (await service.request(`/agent/runs/${run_id}`, { headers })).json();
    expect((run as Run).creator).toEqual({
      type: 'service_account',
      uid: 'grace',
      display_name: 'Grace H.',
    });
    const list = (await keys('list')).join('\n');
    expect(list).toContain('valid');
    expect(list).toContain('grace');
    expect(list).not.toContain(key);
    await keys('revoke', key.slice(0, 12));
    expect((await create()).status).toBe(401);
    expect((await keys('list')).join('\n')).toContain('revoked');
  });

  it('creates keys with a role, own by default', async () => {
    await keys('add', 'olga');
    await keys('add', 'omar', '--role', 'read');
    const list = await keys('list');
    expect(list.find((line) => line.includes('olga'))).toContain(' own ');
    expect(list.find((line) => line.includes('omar'))).toContain(' read ');
  });

  it("doesn't store the key", async () => {
    const own = await openTestDatabase('sqlite::memory:');
    const said: string[] = [];
    const stored = createKeyStore(own);
    await runKeysCommand(stored, ['add', 'ada'], (line) => said.push(line));
    expect(JSON.stringify(await stored.list())).not.toContain(said[0]);
    await own.destroy();
  });

  it.each([
    [[]],
    [['add']],
    [['add', 'a', 'b']],
    [['add', 'a b']],
    [['drop', 'x']],
    [['list', 'x']],
    [['add', 'x', '--admin']],
    [['add', 'x', '--role', 'admin']],
    [['revoke', 'nothing']],
  ])('rejects %j with a hint', async (args) => {
    await expect(keys(...args)).rejects.toThrow(/Usage|It can contain|keys list/);
  });
});

describe('too many requests', () => {
  it('are rejected with the time to wait, only for that owner', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('true')],
      requestsPerMinute: 3,
      keys: [
        {
          key: 'test-key-of-ada-0123456789abcdefgh',
          role: 'own',
          creator: { type: 'user', uid: 'ada', display_name: 'Ada' },
        },
        {
          key: 'key-of-bob',
          role: 'own',
          creator: { type: 'user', uid: 'bob', display_name: 'Bob' },
        },
      ],
    });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await service.request('/agent/runs')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const rejected = await service.request('/agent/runs');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await rejected.json()).toMatchObject({ status: 429, retryable: true });
    const bob = { headers: { authorization: 'Bearer key-of-bob' } };
    expect((await service.request('/agent/runs', bob)).status).toBe(200);
  });
});
