import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { workSchema } from '../../../src/remote/protocol.ts';
import { temporaryFolder } from '../../support/runs-service.ts';
import { twoRuns } from './two-runs.ts';

const key = 'sk-canary-of-the-operator';

function withModels(): Partial<ServiceEnvironment> {
  const key_file = join(temporaryFolder(), 'key');
  writeFileSync(key_file, key);
  return {
    models: ['main', 'local'],
    providers: [
      {
        name: 'main',
        api: 'anthropic',
        key_file,
        base_url: 'https://models.internal.test',
        allowed: ['claude-opus-5-5'],
        prices: { 'claude-opus-5-5': { input: 5, output: 25 } },
        unpriced: 'deny',
        allow_private: true,
      },
      { name: 'local', api: 'openai' },
    ],
    caps: [{ scope: 'person', usd: 5, per: 'day' }],
    timeZone: 'Europe/Berlin',
  };
}

it('the work of a run names its providers, and contains no key, address, price or cap of them', async () => {
  const { ids, call } = await twoRuns({}, withModels());
  const text = await (await call(ids[0], '/start')).text();
  const { environment, model_token: token } = workSchema.parse(JSON.parse(text));
  expect(environment.models).toEqual(['main', 'local']);
  expect(environment.providers).toEqual([
    {
      name: 'main',
      api: 'anthropic',
      allowed: ['claude-opus-5-5'],
      server_tools: false,
      has_own_address: true,
    },
    { name: 'local', api: 'openai', server_tools: false, has_own_address: false },
  ]);
  expect(token).toMatch(/^sam_[\w-]{43}$/);
  for (const word of [
    'canary',
    'key_file',
    'base_url',
    'internal.test',
    'prices',
    'caps',
    'Berlin',
  ])
    expect(text).not.toContain(word);
});

it('repeated answers contain the same model token, and another run has another', async () => {
  const { ids, call, tokenOf } = await twoRuns({}, withModels());
  const tokenIn = async (id = '') =>
    workSchema.parse(await (await call(id, '/start')).json()).model_token;
  const [one, two] = ids;
  const token = await tokenIn(one);
  expect(await tokenIn(one)).toBe(token);
  expect(await tokenIn(two)).not.toBe(token);
  // The agent, which knows only its model token, can't send the reports of its run.
  expect((await call(one, '/start', { token: token ?? '' })).status).toBe(401);
  expect(token).not.toContain(tokenOf(one));
});

it('the work of a run without models has no model token', async () => {
  const { ids, call } = await twoRuns();
  const work = await (await call(ids[0], '/start')).json();
  expect(work).not.toHaveProperty('model_token');
  expect(work).not.toHaveProperty('environment.providers');
});
