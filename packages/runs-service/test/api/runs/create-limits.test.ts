import { createRunResponseSchema, problemSchema } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { testClient } from '../../../../runs-client/test/support/api-server.ts';
import type { KeyRole } from '../../../src/api/keys/keyring.ts';
import type { FileCap } from '../../../src/environments/models-config.ts';
import { createModelCalls } from '../../../src/store/model-calls.ts';
import { createRuns } from '../../../src/store/runs.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';
import {
  aCall,
  anActiveRun,
  aSettledCall,
  callOwner,
} from '../../support/service/model-call-builder.ts';

/** A model call before the service started: its counters, and its price if it has ended. */
type EarlierCall = { spendKeys: string[]; dollars: number; isOpen?: true };

type Earlier = {
  caps?: FileCap[];
  calls?: EarlierCall[];
  role?: KeyRole;
  type?: 'service_account';
};

async function quick({ caps = [], calls = [], role = 'all', type }: Earlier = {}) {
  const db = await openTestDatabase('sqlite::memory:');
  const modelCalls = createModelCalls(db);
  for (const { spendKeys, dollars, isOpen } of calls) {
    const call = aCall(await anActiveRun(db), { spendKeys, estimateMicros: dollars * 1e6 });
    expect(await modelCalls.reserve(call, [])).toEqual({ outcome: 'reserved' });
    const settled = aSettledCall({ priceMicros: dollars * 1e6 });
    if (!isOpen) await modelCalls.settle(call.id, callOwner, settled);
  }
  const environment = shellEnvironment('true', { repositories: [], caps, timeZone: 'Asia/Tokyo' });
  const keys = [
    {
      key: testKey,
      role,
      creator: { type: type ?? ('user' as const), uid: 'ada', display_name: 'Ada' },
    },
  ];
  return { ...(await startRunsService({ db, environments: [environment], keys })), db };
}

const labels = { workspace: 'T1', person: 'U1', channel: 'C1' };
const weekly = { scope: 'channel', usd: 50, per: 'week', name: '#backend' } as const;

describe('the limits of a new run', () => {
  it('are stored with it', async () => {
    const { begin, db } = await quick();
    const limits = { ...labels, models: ['claude-opus-5-5'], caps: [weekly] };
    const run = await createRuns(db).get(await begin({ prompt: 'x', limits }));
    expect(JSON.parse(run?.limits_json ?? '')).toEqual(limits);
  });

  const cap = { scope: 'workspace', usd: 1, per: 'day' };
  const mistakes: [limits: object, named: string][] = [
    [{ person: 'U1' }, 'limits.workspace: is required'],
    [{ ...labels, caps: [{ ...cap, time_zone: 'Mars/Olympus' }] }, 'limits.caps.0.time_zone'],
    [{ ...labels, caps: [{ ...cap, scope: 'run' }] }, 'limits.caps.0.per'],
    [{ ...labels, caps: [{ ...cap, per: 'run' }] }, 'limits.caps.0.per'],
    [{ ...labels, caps: [{ ...cap, scope: 'group' }] }, 'limits.caps.0.group'],
    [{ ...labels, caps: [{ ...cap, group: 'S1' }] }, 'limits.caps.0.group'],
    [{ caps: [cap] }, 'limits.caps.0.scope: needs the member limits.workspace'],
    [{ workspace: 'T1', caps: [{ ...cap, scope: 'channel' }] }, 'limits.caps.0.scope'],
    [{ ...labels, caps: [{ ...cap, usd: 0 }] }, 'limits.caps.0.usd'],
    [{ ...labels, caps: [{ ...cap, usd: 0.000_000_9 }] }, 'limits.caps.0.usd'],
    [{ ...labels, person: 'U1/U2' }, 'limits.person: must be an ID'],
    [{ models: ['two words'] }, "limits.models.0: must be a model's ID"],
    [{ budget: 5 }, "limits.budget: isn't supported"],
    [{ counted_apart_for: 'user ada' }, "limits.counted_apart_for: isn't supported"],
  ];
  it.each(mistakes)('are rejected as %j', async (limits, named) => {
    const { create } = await quick();
    const answer = await create({ prompt: 'x', limits });
    expect(answer.status).toBe(400);
    expect(problemSchema.parse(await answer.json()).detail).toContain(named);
  });

  it('can change before the same request is sent again', async () => {
    const { create } = await quick({ calls: [{ spendKeys: ['channel:T1/C1'], dollars: 60 }] });
    const send = async (limits: object | undefined) => {
      const key = { 'idempotency-key': 'k' };
      const answer = await create({ prompt: 'x', ...(limits && { limits }) }, key);
      return createRunResponseSchema.parse(await answer.json()).run_id;
    };
    const first = await send(labels);
    expect(await send({ ...labels, caps: [weekly] })).toBe(first);
    expect(await send(undefined)).toBe(first);
  });
});

describe('a run over a cap', () => {
  it("isn't created, and the answer says what was spent and when the cap resets", async () => {
    const { create, request } = await quick({
      calls: [{ spendKeys: ['channel:T1/C1'], dollars: 50 }],
    });
    const before = await (await request('/agent/runs')).json();
    const answer = await create({ prompt: 'x', limits: { ...labels, caps: [weekly] } });
    expect(answer.status).toBe(402);
    expect(problemSchema.parse(await answer.json())).toMatchObject({
      type: 'urn:slash-agent:problem:budget_exceeded',
      retryable: false,
      detail: expect.stringMatching(
        /^#backend has spent \$50\.00 of \$50\.00 this week\. It resets on Monday, \w+ \d+ at 00:00 \(UTC\)\.$/,
      ),
    });
    expect(await (await request('/agent/runs')).json()).toEqual(before);
    const other = await create({
      prompt: 'x',
      limits: { ...labels, channel: 'C2', caps: [weekly] },
    });
    expect(other.status).toBe(200);
  });

  it('of the environments file is rejected too, also without labels', async () => {
    const { service, create } = await quick({
      caps: [{ scope: 'person', usd: 3, per: 'day' }],
      calls: [{ spendKeys: ['person:ada'], dollars: 3 }],
    });
    const client = testClient(service.apiUrl, { apiKey: testKey, maxRetries: 0 });
    await expect(client.runs.create({ prompt: 'x' })).rejects.toMatchObject({
      code: 'budget_exceeded',
      retryable: false,
      message: expect.stringMatching(
        /: Ada has spent \$3\.00 of \$3\.00 today\. .*\(Asia\/Tokyo\)\.$/,
      ),
    });
    // Naming someone else doesn't help a person.
    expect((await create({ prompt: 'x', limits: labels })).status).toBe(402);
  });

  it('starts if the amount is only reserved', async () => {
    const { create } = await quick({
      calls: [{ spendKeys: ['workspace:T1'], dollars: 5, isOpen: true }],
    });
    const caps = [{ scope: 'workspace', usd: 1, per: 'day' }];
    expect((await create({ prompt: 'x', limits: { ...labels, caps } })).status).toBe(200);
  });

  it("isn't rejected or told what others spent, if its key doesn't have access to all runs", async () => {
    const others = ['person:T1/U1', 'channel:T1/C1', 'workspace:T1', 'environment:shell'];
    const own = 'own:channel:C2/T1/user ada';
    const { create, begin, db } = await quick({
      calls: [
        { spendKeys: others, dollars: 60 },
        { spendKeys: [own], dollars: 60 },
      ],
      role: 'own',
    });
    const caps = ['person', 'channel', 'workspace', 'environment'].map((scope) => ({
      scope,
      usd: 0.01,
      per: 'week',
    }));
    const id = await begin({ prompt: 'x', limits: { ...labels, caps } });
    const run = await createRuns(db).get(id);
    expect(JSON.parse(run?.limits_json ?? '')).toMatchObject({ counted_apart_for: 'user ada' });
    const used = await create({ prompt: 'x', limits: { ...labels, channel: 'C2', caps } });
    expect(used.status).toBe(402);
  });

  it('of the owner of a key is rejected even if the request names others, unless the key has access to all runs', async () => {
    const { create } = await quick({
      caps: [{ scope: 'person', usd: 3, per: 'day' }],
      calls: [{ spendKeys: ['person:ada'], dollars: 3 }],
      role: 'own',
      type: 'service_account',
    });
    expect((await create({ prompt: 'x', limits: { ...labels, person: 'U2' } })).status).toBe(402);
  });
});
