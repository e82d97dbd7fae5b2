import type { Run } from 'runs-client/contract';
import { beforeEach, expect, it } from 'vitest';
import { createPersonData } from '../../../src/store/people/person-data.ts';
import { createRequestRemoval } from '../../../src/store/requests/request-removal.ts';
import {
  changedColumns,
  type NewRequest,
  type RequestChanges,
} from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { createSpending, type SpendingScope } from '../../../src/store/requests/spending.ts';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { makePublic } from '../../support/database/many-requests.ts';

const teamId = 'T1';
const viewer = { teamId, userId: 'U1' };

describeOnDatabase('what runs cost', (database) => {
  beforeEach(async () => {
    for (const table of ['requests', 'conversations', 'conversation_members'] as const)
      await database().deleteFrom(table).execute();
    await makePublic(database(), 'C1');
  });

  const spending = () => createSpending(database());

  async function change(id: string, changes: RequestChanges) {
    const columns = changedColumns(id, changes);
    await database().updateTable('requests').set(columns).where('id', '=', id).execute();
  }

  async function store(
    id: string,
    usage: Run['request_usage'],
    request: Partial<NewRequest> = {},
    state = 'SUCCEEDED',
  ) {
    await createRequests(database()).accept({
      id,
      teamId,
      creatorId: 'U1',
      channelId: 'C1',
      prompt: 'count',
      title: id,
      config: { environment_id: 'shop' },
      acceptedAt: 1_000,
      ...request,
    });
    const run = aRun({ run_id: id, state, request_usage: usage });
    await change(id, { step: 'ended', runId: id, run });
  }

  const sum = (scope: SpendingScope, since = 0) => spending().sum(teamId, scope, { since });

  it('is summed for a person, people, a channel, an environment and the workspace', async () => {
    await store('a', { inference_cost_usd: 0.1, compute_cost_usd: 0.2 });
    await store('b', { inference_cost_usd: 1 }, { creatorId: 'U2', channelId: 'C2' });
    await store('c', { inference_cost_usd: 2 }, { creatorId: 'U3', config: {} });
    await store('d', { inference_cost_usd: 4 }, { acceptedAt: 999 });
    await store('e', { inference_cost_usd: 8 }, { teamId: 'T2' });
    const sums = await Promise.all([
      sum({ creatorId: 'U1' }, 1_000),
      sum({ creatorIds: ['U1', 'U2', 'U1'] }, 1_000),
      sum({ creatorIds: [] }, 1_000),
      sum({ channelId: 'C1' }, 1_000),
      sum({ environmentId: 'shop' }, 1_000),
      sum('workspace', 1_000),
      sum('workspace'),
      spending().sum(teamId, 'workspace', { since: 0, until: 1_000 }),
    ]);
    expect(sums.map(({ micros }) => micros)).toEqual([
      300_000, 1_300_000, 0, 2_300_000, 1_300_000, 3_300_000, 7_300_000, 4_000_000,
    ]);
  });

  it('grows with each report of a run in progress, and keeps the last one', async () => {
    await store('a', { inference_cost_usd: 0.5 }, {}, 'INPROGRESS');
    await change('a', { run: aRun({ run_id: 'a', request_usage: { inference_cost_usd: 0.75 } }) });
    await change('a', { run: aRun({ run_id: 'a' }) });
    await change('a', { run: null });
    await change('a', { failures: 3 });
    expect(await sum('workspace')).toEqual({ micros: 750_000, incompleteRuns: 0 });
  });

  it('says which runs have no price, or only a part of it', async () => {
    await store('whole', { inference_cost_usd: 1, total_tokens: 10 });
    await store('free', { inference_cost_usd: 0, total_tokens: 10 });
    await store('none', { total_tokens: 10 });
    await store('part', {
      inference_cost_usd: 1,
      models: [
        { model: 'known', cost_usd: 1, tokens: 5 },
        { model: 'new', tokens: 5 },
      ],
    });
    await store('silent', undefined);
    await store('working', undefined, {}, 'INPROGRESS');
    expect(await sum('workspace')).toEqual({ micros: 2_000_000, incompleteRuns: 2 });
    expect(await spending().report({ viewer, since: 0 })).toMatchObject({
      micros: 2_000_000,
      tokens: 30,
      runs: 6,
      incompleteRuns: 2,
      unreportedRuns: 1,
    });
  });

  it('is reported by model, person and environment, the most expensive first', async () => {
    const models = [
      { model: 'large', cost_usd: 0.9, tokens: 100, calls: 2 },
      { model: 'small', cost_usd: 0.1, tokens: 50 },
    ];
    await store('a', { inference_cost_usd: 1, total_tokens: 150, models });
    await store(
      'b',
      { inference_cost_usd: 2, models: [{ model: 'small', cost_usd: 2 }] },
      {
        creatorId: 'U2',
        config: {},
      },
    );
    await store('c', { inference_cost_usd: 3 }, { creatorId: 'U2', config: {} });
    await store('d', { inference_cost_usd: 0.5 });
    expect(await spending().report({ viewer, since: 0 })).toEqual({
      runs: 4,
      micros: 6_500_000,
      tokens: 150,
      incompleteRuns: 0,
      unreportedRuns: 0,
      byModel: [
        { model: 'small', micros: 2_100_000, tokens: 50, isIncomplete: false },
        { model: 'large', micros: 900_000, tokens: 100, isIncomplete: false },
      ],
      byPerson: [
        { id: 'U2', micros: 5_000_000, runs: 2 },
        { id: 'U1', micros: 1_500_000, runs: 2 },
      ],
      byEnvironment: [
        { id: null, micros: 5_000_000, runs: 2 },
        { id: 'shop', micros: 1_500_000, runs: 2 },
      ],
      mostExpensive: [
        { id: 'c', creatorId: 'U2', title: 'c', micros: 3_000_000 },
        { id: 'b', creatorId: 'U2', title: 'b', micros: 2_000_000 },
        { id: 'a', creatorId: 'U1', title: 'a', micros: 1_000_000 },
      ],
    });
  });

  it('is reported only for conversations that the viewer can see', async () => {
    await store('mine', { inference_cost_usd: 1 }, { channelId: 'D1' });
    await store('public', { inference_cost_usd: 2 }, { creatorId: 'U2' });
    await store('private', { inference_cost_usd: 4 }, { creatorId: 'U2', channelId: 'G1' });
    const report = async (filter: object) =>
      (await spending().report({ viewer, since: 0, ...filter })).micros;
    expect(await report({})).toBe(3_000_000);
    expect(await report({ creatorId: 'U1' })).toBe(1_000_000);
    expect(await report({ creatorId: 'U2' })).toBe(2_000_000);
    expect(await report({ channelId: 'G1' })).toBe(0);
    expect(await report({ channelId: 'D1' })).toBe(1_000_000);
    const inChannel = { ...viewer, conversationId: 'G1' };
    expect(await report({ viewer: inChannel, channelId: 'G1' })).toBe(4_000_000);
    expect((await sum('workspace')).micros).toBe(7_000_000);
  });

  it('survives numbers and names that no service should send', async () => {
    const models = [
      { model: '\u0000\ud800'.repeat(5_000), cost_usd: -1, tokens: Number.NaN },
      ...Array.from({ length: 500 }, (_, index) => ({ model: `m${index}`, cost_usd: 1e300 })),
    ];
    for (const id of ['a', 'b'])
      await store(id, {
        inference_cost_usd: 1e300,
        compute_cost_usd: -5,
        total_tokens: Number.POSITIVE_INFINITY,
        models,
      });
    await store('c', { inference_cost_usd: Number.NaN, models: [] });
    const { micros, byModel, runs } = await spending().report({ viewer, since: 0 });
    expect(micros).toBe(2e12);
    expect((await sum('workspace')).micros).toBe(2e12);
    expect([runs, byModel.length]).toEqual([3, 20]);
  });

  it('is exported and deleted with the request', async () => {
    await store('a', { inference_cost_usd: 1, total_tokens: 7 });
    await store('b', { inference_cost_usd: 2 }, { creatorId: 'U2' });
    await store('c', { inference_cost_usd: 4 }, { creatorId: 'U3' });
    const people = createPersonData(database());
    expect((await people.read('U1')).requests).toMatchObject([
      { cost_micros: 1_000_000, tokens: 7 },
    ]);
    await people.remove('U1');
    await createRequestRemoval(database()).remove(['b']);
    expect(await sum('workspace')).toMatchObject({ micros: 4_000_000 });
  });
});
