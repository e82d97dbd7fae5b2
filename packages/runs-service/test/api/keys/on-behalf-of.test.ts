import { problemSchema } from 'runs-client/contract';
import { expect, it } from 'vitest';
import type { ServiceKey } from '../../../src/api/keys/keyring.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

const bot = { type: 'service_account', uid: 'bot', display_name: 'Bot' } as const;
const ada = { type: 'user', uid: 'ada', display_name: 'Ada' } as const;
const keyOf = (name: string) => `${name}-key-0123456789abcdefghijklmnop`;
const keys: ServiceKey[] = [
  { key: keyOf('all'), role: 'all', creator: bot },
  { key: keyOf('own'), role: 'own', creator: bot },
  { key: keyOf('person'), role: 'all', creator: ada },
];

async function start() {
  const service = await startRunsService({ environments: [shellEnvironment('true')], keys });
  const create = (key: string, on_behalf_of: string, more: Record<string, string> = {}) =>
    service.create(
      { prompt: 'x', on_behalf_of },
      { authorization: `Bearer ${keyOf(key)}`, ...more },
    );
  return { service, create };
}

it('a program that may act for all starts a run that belongs to a person', async () => {
  const { service, create } = await start();
  const answer = await create('all', 'Grace@Example.com');
  const { run_id: id } = (await answer.json()) as { run_id: string };
  const headers = { authorization: `Bearer ${keyOf('all')}` };
  const run = await (await service.request(`/agent/runs/${id}`, { headers })).json();
  const creator = { type: 'user', uid: 'grace@example.com', email: 'Grace@Example.com' };
  expect(run).toMatchObject({ creator });
});

it.each(['own', 'person'])('a key with less gets 403 that names it: %s', async (key) => {
  const { create } = await start();
  const answer = await create(key, 'grace@example.com');
  expect(answer.status).toBe(403);
  expect(problemSchema.parse(await answer.json()).detail).toMatch(/^on_behalf_of: /);
});

it('an address that is none is rejected', async () => {
  const { create } = await start();
  const answer = await create('all', 'grace');
  expect(answer.status).toBe(400);
  expect(problemSchema.parse(await answer.json()).detail).toContain("isn't an email address");
});

it('the same idempotency key is the same run, for any person', async () => {
  const { create } = await start();
  const same = { 'idempotency-key': 'k' };
  const answers = [
    await create('all', 'a@example.com', same),
    await create('all', 'b@example.com', same),
  ];
  const runs = answers.map(async (each) => ((await each.json()) as { run_id: string }).run_id);
  const [one, other] = await Promise.all(runs);
  expect(other).toBe(one);
});
