import { usageReportSchema } from 'runs-client/usage-report';
import { expect, it } from 'vitest';
import type { ServiceKey } from '../../src/api/keys/keyring.ts';
import { createModelCalls } from '../../src/store/model-calls.ts';
import { openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';
import {
  aCall,
  anActiveRun,
  aSettledCall,
  callOwner,
} from '../support/service/model-call-builder.ts';

const keyOf = (uid: string, role: ServiceKey['role']): ServiceKey => ({
  key: `test-key-of-${uid}-0123456789abcdef-0123456789`,
  role,
  creator: { type: 'user', uid, display_name: uid },
});
const keys = [keyOf('ada', 'own'), keyOf('bob', 'own'), keyOf('all', 'all'), keyOf('read', 'read')];

it('the usage endpoint shows the calls of the runs that a key sees', async () => {
  const db = await openTestDatabase('sqlite::memory:');
  const calls = createModelCalls(db);
  const call = aCall(await anActiveRun(db));
  await calls.reserve(call, []);
  await calls.settle(call.id, callOwner, aSettledCall({ priceMicros: 1_250_000 }));
  const { request } = await startRunsService({
    environments: [shellEnvironment('true')],
    keys,
    db,
  });

  const usage = async (index: number, query = '') => {
    const authorization = `Bearer ${keys[index]?.key}`;
    const answer = await request(`/agent/usage${query}`, { headers: { authorization } });
    return usageReportSchema.parse(await answer.json());
  };
  for (const index of [0, 2, 3])
    expect(await usage(index)).toMatchObject({ cost_usd: 1.25, calls: 1, input_tokens: 1000 });
  expect(await usage(1, '?group_by=model')).toMatchObject({ cost_usd: 0, calls: 0, groups: [] });
  expect(await usage(2, '?group_by=model')).toMatchObject({
    groups: [{ name: 'claude-opus-5-5', cost_usd: 1.25, output_tokens: 100 }],
  });
  expect(await usage(2, '?since=2026-01-01&until=2026-01-02')).toMatchObject({
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-02T00:00:00.000Z',
    cost_usd: 0,
  });
  await db.destroy();
});
