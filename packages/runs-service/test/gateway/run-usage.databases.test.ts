import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { failed } from '../../src/execution/run-end.ts';
import { createEndOfRun } from '../../src/gateway/end-of-run.ts';
import { createRunUsages } from '../../src/gateway/run-usage.ts';
import type { SettledCall } from '../../src/store/model-calls.ts';
import type { Db } from '../../src/store/schema.ts';
import { createStores } from '../../src/store/stores.ts';
import { describeOnDatabase } from '../support/databases.ts';
import {
  aCall,
  anActiveRun,
  aSettledCall,
  callOwner,
} from '../support/service/model-call-builder.ts';

const personCap = { scope: 'person' as const, usd: 10, per: 'day' as const };
const withGateway = { models: ['anthropic'], caps: [personCap] };

async function begin(
  db: Db,
  more: Partial<ServiceEnvironment>,
  hasToken = more.models !== undefined,
) {
  const stores = createStores(db);
  const id = await anActiveRun(db);
  if (hasToken) await stores.modelTokens.setModelToken(id, callOwner, `hash of ${id}`);
  const stored = await stores.runs.get(id);
  if (!stored) throw new Error('The run was not stored.');
  const environments = [{ id: stored.environment_id, repositories: [], command: ['x'], ...more }];
  const usages = createRunUsages({
    runs: stores.runs,
    calls: stores.modelCalls,
    reported: stores.reportedUsages,
    environments: () => environments,
    logger: createLogger('silent'),
  });
  const call = async (settled: Partial<SettledCall>) => {
    const row = aCall(id);
    await stores.modelCalls.reserve(row, []);
    await stores.modelCalls.settle(row.id, callOwner, aSettledCall(settled));
  };
  const release = async (status: number) => {
    const row = aCall(id);
    await stores.modelCalls.reserve(row, []);
    await stores.modelCalls.release(row.id, callOwner, { status, outcome: 'provider_error' });
  };
  const read = async () => (await stores.runs.get(id)) ?? stored;
  const endOf = createEndOfRun({ runs: stores.runs, calls: stores.modelCalls, usages });
  const messageAtEnd = async (text: string) => {
    const { status_json: json } = await endOf(await read(), failed(text));
    return JSON.parse(json ?? '');
  };
  const spentOf = async () => {
    const cap = { ...personCap, setBy: 'operator' as const, name: 'Ada', limitMicros: 10_000_000 };
    const key = `person:${stored.creator_uid}`;
    const states = await stores.modelCalls.statesOf([{ ...cap, key, timeZone: 'UTC' }]);
    return states[0]?.spent ?? 0;
  };
  return { id, stores, usages, call, release, read, endOf, messageAtEnd, spentOf };
}

describeOnDatabase('usage of a run', (db) => {
  it('comes from its calls while it is in progress, with the tightest cap', async () => {
    const { usages, call, read } = await begin(db(), withGateway);
    await call({ priceMicros: 250_000, servedModel: 'small' });
    await call({ priceMicros: 500_000, servedModel: 'large' });
    usages.changed((await read()).id);
    await usages.stop();
    expect(JSON.parse((await read()).usage_json ?? '')).toMatchObject({
      costUsd: 0.75,
      tokens: 2_200,
      models: [
        { model: 'large', costUsd: 0.5, tokens: 1_100, calls: 1, estimatedCalls: 0 },
        { model: 'small', costUsd: 0.25, tokens: 1_100, calls: 1, estimatedCalls: 0 },
      ],
      tightestCap: { scope: 'person', limitUsd: 10 },
    });
  });

  it("doesn't come from the program, whose cost is only noted if it differs notably", async () => {
    const { id, usages, call } = await begin(db(), withGateway);
    await call({ priceMicros: 500_000 });
    expect(await usages.soFar(id, { costUsd: 7, tokens: 3 })).toEqual({});
    const same = await usages.whole(id, { costUsd: 0.51 });
    expect(same.note).toBe('Used 1,100 tokens, $0.50');
    const other = await usages.whole(id, { costUsd: 0.9 });
    expect(other.note).toBe('Used 1,100 tokens, $0.50. The agent program reported $0.90');
    expect(JSON.parse(other.usage_json ?? '')).toMatchObject({ costUsd: 0.5 });
  });

  it('is complete at the end', async () => {
    const { call, read, endOf } = await begin(db(), withGateway);
    await call({ priceMicros: 500_000 });
    const update = await endOf(await read(), { state: 'SUCCEEDED' });
    expect(update.state).toBe('SUCCEEDED');
    expect(JSON.parse(update.usage_json ?? '')).toMatchObject({ costUsd: 0.5 });
  });

  it('counts for caps once per run if a program reports it without the gateway', async () => {
    const { id, usages, stores, spentOf, read } = await begin(db(), { caps: [personCap] });
    const before = await spentOf();
    expect(await usages.soFar(id, { costUsd: 1 })).toEqual({ usage_json: '{"costUsd":1}' });
    await usages.whole(id, { costUsd: 1.5, tokens: 20 });
    const update = await usages.whole(id, { costUsd: 2.25, tokens: 30 });
    expect(update.note).toBe('Used 30 tokens, $2.25');
    expect(JSON.parse(update.usage_json ?? '')).toMatchObject({
      costUsd: 2.25,
      tightestCap: { spentUsd: (before + 2_250_000) / 1e6 },
    });
    expect(await stores.modelCalls.ofRun(id)).toMatchObject([
      { provider: 'agent', api: 'reported', price_micros: 2_250_000, estimated: 1 },
    ]);
    expect(await spentOf()).toBe(before + 2_250_000);
    expect(await usages.atEnd(await read())).toEqual({});
  });

  it('counts what a program reports if its environment got models after the start', async () => {
    const { id, usages, spentOf, read } = await begin(db(), withGateway, false);
    const before = await spentOf();
    expect(await usages.soFar(id, { costUsd: 1 })).toEqual({ usage_json: '{"costUsd":1}' });
    const update = await usages.whole(id, { costUsd: 1.5, tokens: 20 });
    expect(JSON.parse(update.usage_json ?? '')).toMatchObject({ costUsd: 1.5 });
    expect(await usages.atEnd(await read())).toEqual({});
    expect(await spentOf()).toBe(before + 1_500_000);
  });

  it('never lowers what is spent, whatever a program prints', async () => {
    const { id, usages, spentOf } = await begin(db(), { caps: [personCap] });
    const before = await spentOf();
    for (const costUsd of [-5, Number.NaN]) await usages.whole(id, { costUsd, tokens: -1 });
    expect(await spentOf()).toBe(before);
  });
});

describeOnDatabase('the end of a run', (db) => {
  it('names the problem with the provider that its last call had', async () => {
    const { call, release, messageAtEnd } = await begin(db(), withGateway);
    await release(529);
    await call({});
    expect((await messageAtEnd('The agent exited with code 1.')).message).toBe(
      'The agent exited with code 1.',
    );
    await release(401);
    expect((await messageAtEnd('The agent exited with code 1.')).message).toBe(
      'The agent exited with code 1.\nThe model provider "anthropic" rejected the key (401). Tell the operator of the runs service to check its "key_file".',
    );
  });

  it('is the sentence about its spending if that was stopped', async () => {
    const { id, stores, read, messageAtEnd, endOf } = await begin(db(), withGateway);
    await stores.runs.change(id, ['INPROGRESS'], {});
    await db()
      .updateTable('service_runs')
      .set({ spend_stopped: 'This run has spent $5.00 of $5.00. It was stopped there.' })
      .where('id', '=', id)
      .execute();
    expect(await messageAtEnd('The agent exited with code 1.')).toEqual({
      message: 'This run has spent $5.00 of $5.00. It was stopped there.',
      error_code: 'budget_exceeded',
      retryable: false,
    });
    expect((await endOf(await read(), { state: 'CANCELLED' })).state).toBe('CANCELLED');
  });
});
