import { describe, expect, it } from 'vitest';
import { readKeys } from '../../../src/runs-service/api/keyring.ts';
import { runKeysCommand } from '../../../src/runs-service/api/keys-command.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { createServiceKeys } from '../../../src/store/service/service-keys.ts';
import { useDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

describe('RUNS_SERVICE_KEYS', () => {
  it('lists names and keys', () => {
    expect(readKeys('ada=key-of-ada=1, service:ci=key-of-ci-2,\n')).toEqual([
      { key: 'key-of-ada=1', creator: { type: 'user', uid: 'ada', display_name: 'ada' } },
      { key: 'key-of-ci-2', creator: { type: 'service_account', uid: 'ci', display_name: 'ci' } },
    ]);
  });

  it.each(['secret-without-name', 'ada=short', '=12345678', 'a b=12345678', 'robot:x=12345678'])(
    'refuses %s without repeating it',
    (entry) => {
      const read = () => readKeys(`ok=12345678,${entry}`);
      expect(read).toThrow(/entry 2 must be <name>=<key>/);
      expect(read).not.toThrow(entry);
    },
  );
});

describe('the keys command', () => {
  const db = useDatabase();

  async function keys(...args: string[]): Promise<string[]> {
    const said: string[] = [];
    await runKeysCommand(createServiceKeys(db()), args, (line) => said.push(line));
    return said;
  }

  it('creates a key that works at once, and revokes it', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('true')], db: db() });
    const [key = ''] = await keys('add', 'grace', '--display-name', 'Grace H.', '--service');
    const create = () => service.create({ prompt: 'x' }, { authorization: `Bearer ${key}` });
    const answer = await create();
    expect(answer.status).toBe(200);
    const { run_id } = (await answer.json()) as { run_id: string };
    expect((await service.get(run_id)).creator).toEqual({
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

  it("doesn't store the key", async () => {
    const own = await openDatabase('sqlite::memory:');
    const said: string[] = [];
    const stored = createServiceKeys(own);
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
    [['revoke', 'nothing']],
  ])('refuses %j with a hint', async (args) => {
    await expect(keys(...args)).rejects.toThrow(/Usage|It can contain|keys list/);
  });
});

describe('too many requests', () => {
  it('are refused with the time to wait, only for that owner', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('true')],
      requestsPerMinute: 3,
      keys: [
        { key: 'test-key-of-ada', creator: { type: 'user', uid: 'ada', display_name: 'Ada' } },
        { key: 'key-of-bob', creator: { type: 'user', uid: 'bob', display_name: 'Bob' } },
      ],
    });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await service.request('/agent/runs')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await service.request('/agent/runs');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ status: 429, retryable: true });
    const bob = { headers: { authorization: 'Bearer key-of-bob' } };
    expect((await service.request('/agent/runs', bob)).status).toBe(200);
  });
});
