import { expect, it } from 'vitest';
import { createModelCalls } from '../../src/store/model-calls.ts';
import { createModelTokens } from '../../src/store/model-tokens.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import {
  aCall,
  aCap,
  anActiveRun,
  aSettledCall,
  callOwner,
} from '../support/service/model-call-builder.ts';

describeOnDatabase('model calls', (db) => {
  const calls = () => createModelCalls(db());
  const personCap = (person: string, more = {}) => aCap({ key: `person:${person}`, ...more });
  const callOf = (runId: string, person: string, more = {}) =>
    aCall(runId, { spendKeys: [`run:${runId}`, `person:${person}`], ...more });
  const stateOf = async (cap: ReturnType<typeof aCap>) => {
    const [state] = await calls().statesOf([cap]);
    return { spent: state?.spent, reserved: state?.reserved, allowed: state?.allowed };
  };

  it('reserve their cost, and spend their price instead when they end', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('eve');
    const call = callOf(runId, 'eve');
    expect(await calls().reserve(call, [cap])).toEqual({ outcome: 'reserved' });
    expect(await stateOf(cap)).toEqual({ spent: 0, reserved: 100_000, allowed: 0 });
    await calls().settle(call.id, callOwner, aSettledCall({ priceMicros: 30_000 }));
    expect(await stateOf(cap)).toEqual({ spent: 30_000, reserved: 0, allowed: 0 });
    const [row] = await calls().ofRun(runId);
    expect(row).toMatchObject({ outcome: 'completed', price_micros: 30_000, estimated: 0 });
  });

  it('reserve what the previous call of the run with the same model cost, if it is more', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('previous');
    const first = callOf(runId, 'previous');
    await calls().reserve(first, [cap]);
    await calls().settle(first.id, callOwner, aSettledCall({ priceMicros: 170_000 }));
    await calls().reserve(callOf(runId, 'previous'), [cap]);
    expect((await stateOf(cap)).reserved).toBe(170_000);
    await calls().reserve(callOf(runId, 'previous', { model: 'other' }), [cap]);
    expect((await stateOf(cap)).reserved).toBe(270_000);
  });

  it('cost at least their estimate if they are cut, although the previous call was cheap', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('cheap', { limitMicros: 150_000 });
    const tiny = callOf(runId, 'cheap');
    await calls().reserve(tiny, [cap]);
    await calls().settle(tiny.id, callOwner, aSettledCall({ priceMicros: 300 }));
    const cut = aSettledCall({ outcome: 'canceled', priceMicros: 1, isEstimated: true });
    const [second, third, fourth] = [1, 2, 3].map(() => callOf(runId, 'cheap'));
    if (!second || !third || !fourth) throw new Error('three calls');
    await calls().reserve(second, [cap]);
    await calls().settle(second.id, callOwner, cut);
    // With little left, one call may still start. Only further calls wait for its end.
    expect(await calls().reserve(third, [cap])).toEqual({ outcome: 'reserved' });
    expect(await calls().reserve(fourth, [cap])).toMatchObject({ outcome: 'busy' });
    await calls().settle(third.id, callOwner, cut);
    expect(await calls().reserve(fourth, [cap])).toMatchObject({ outcome: 'over' });
  });

  it('start until a cap is used up, and see the calls in progress', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('limit', { limitMicros: 200_000 });
    const [first, second, third] = [1, 2, 3].map(() => callOf(runId, 'limit'));
    if (!first || !second || !third) throw new Error('three calls');
    expect(await calls().reserve(first, [cap])).toEqual({ outcome: 'reserved' });
    expect(await calls().reserve(second, [cap])).toEqual({ outcome: 'reserved' });
    expect(await calls().reserve(third, [cap])).toMatchObject({
      outcome: 'busy',
      state: { spent: 0, reserved: 200_000 },
    });
    await calls().settle(first.id, callOwner, aSettledCall({ priceMicros: 199_999 }));
    await calls().settle(second.id, callOwner, aSettledCall({ priceMicros: 1 }));
    const over = await calls().reserve(third, [cap]);
    expect(over).toMatchObject({ outcome: 'over', state: { cap, spent: 200_000, reserved: 0 } });
    expect((await calls().ofRun(runId)).map(({ id }) => id).sort()).toEqual(
      [first.id, second.id].sort(),
    );
  });

  it('end once', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('once');
    const call = callOf(runId, 'once');
    await calls().reserve(call, [cap]);
    await Promise.all([
      calls().settle(call.id, callOwner, aSettledCall()),
      calls().settle(call.id, callOwner, aSettledCall()),
      calls().settle(call.id, 'another process', aSettledCall()),
    ]);
    await calls().release(call.id, callOwner, { status: 529, outcome: 'provider_error' });
    await calls().settleLost(callOwner);
    expect(await stateOf(cap)).toEqual({ spent: 100_000, reserved: 0, allowed: 0 });
  });

  it('cost nothing if the provider rejected them', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('free');
    const call = callOf(runId, 'free');
    await calls().reserve(call, [cap]);
    await calls().release(call.id, callOwner, { status: 529, outcome: 'provider_error' });
    expect(await stateOf(cap)).toEqual({ spent: 0, reserved: 0, allowed: 0 });
    expect(await calls().ofRun(runId)).toMatchObject([{ status: 529, price_micros: 0 }]);
  });

  it('without a complete report cost at least what was reserved', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('cut');
    const settled = [
      aSettledCall({ outcome: 'cut', priceMicros: 5, isEstimated: true }),
      aSettledCall({ usage: undefined, priceMicros: undefined }),
      aSettledCall({ outcome: 'cut', priceMicros: 300_000, isEstimated: true }),
    ];
    for (const [index, each] of settled.entries()) {
      const call = callOf(runId, 'cut', { model: `model ${index}` });
      await calls().reserve(call, [cap]);
      await calls().settle(call.id, callOwner, each);
    }
    expect(await stateOf(cap)).toEqual({ spent: 500_000, reserved: 0, allowed: 0 });
    expect((await calls().ofRun(runId)).map(({ estimated }) => estimated)).toEqual([1, 1, 1]);
  });

  it('count as spent when their process is gone, and get their real price if it returns', async () => {
    const runId = await anActiveRun(db());
    const cap = personCap('lost');
    const lost = callOf(runId, 'lost', { leaseMs: -1 });
    const live = callOf(runId, 'lost');
    await calls().reserve(lost, [cap]);
    await calls().reserve(live, [cap]);
    await calls().settleLost();
    expect(await stateOf(cap)).toEqual({ spent: 100_000, reserved: 100_000, allowed: 0 });
    expect((await calls().ofRun(runId)).find(({ id }) => id === lost.id)).toMatchObject({
      outcome: 'lost',
      estimated: 1,
    });
    await calls().settle(lost.id, callOwner, aSettledCall({ priceMicros: 250_000 }));
    expect(await stateOf(cap)).toEqual({ spent: 250_000, reserved: 100_000, allowed: 0 });
  });

  it('stay reserved while their process renews their leases', async () => {
    const runId = await anActiveRun(db());
    const call = callOf(runId, 'renewed', { leaseMs: -1 });
    await calls().reserve(call, []);
    await calls().renew('another process', [call.id], 60_000);
    await calls().renew(callOwner, [call.id], 60_000);
    await calls().settleLost();
    expect(await calls().ofRun(runId)).toMatchObject([{ ended_at: null }]);
  });

  it('count for a cap that is added after them, and for caps of other runs', async () => {
    const runId = await anActiveRun(db());
    const [first, second, third] = [1, 2, 3].map(() => callOf(runId, 'new_cap'));
    if (!first || !second || !third) throw new Error('three calls');
    await calls().reserve(first, []);
    await calls().settle(first.id, callOwner, aSettledCall({ priceMicros: 40_000 }));
    await calls().reserve(second, []);
    const cap = personCap('new_cap');
    expect(await stateOf(cap)).toEqual({ spent: 40_000, reserved: 100_000, allowed: 0 });
    await calls().reserve(third, [cap]);
    expect(await stateOf(cap)).toEqual({ spent: 40_000, reserved: 200_000, allowed: 0 });
    await calls().reserve(callOf(runId, 'new_cap'), []);
    expect(await stateOf(cap)).toEqual({ spent: 40_000, reserved: 300_000, allowed: 0 });
    // Another key that only looks similar has its own counter.
    expect(await stateOf(personCap('new-cap'))).toEqual({ spent: 0, reserved: 0, allowed: 0 });
  });

  it('are rejected if the run has ended or must end', async () => {
    const runId = await anActiveRun(db());
    await db()
      .updateTable('service_runs')
      .set({ spend_stopped: 'Ada stopped it.' })
      .where('id', '=', runId)
      .execute();
    expect(await calls().reserve(aCall(runId), [])).toEqual({
      outcome: 'stopped',
      message: 'Ada stopped it.',
    });
    await createRuns(db()).change(runId, ['INPROGRESS'], { state: 'FAILED', ended_at: 5 });
    expect(await calls().reserve(aCall(runId), [])).toEqual({ outcome: 'ended' });
    expect(await calls().reserve(aCall('unknown'), [])).toEqual({ outcome: 'ended' });
  });

  it('of a run are added up by model', async () => {
    const runId = await anActiveRun(db());
    const cap = aCap({ scope: 'run', key: `run:${runId}`, name: undefined, per: 'run' });
    for (const [model, priceMicros] of [
      ['small', 10_000],
      ['large', 50_000],
      ['large', 60_000],
    ] as const) {
      const call = aCall(runId, { model });
      await calls().reserve(call, [cap]);
      await calls().settle(call.id, callOwner, aSettledCall({ servedModel: model, priceMicros }));
    }
    expect(await calls().usageOfRun(runId, [cap])).toEqual({
      costUsd: 0.12,
      tokens: 3_300,
      models: [
        { model: 'large', costUsd: 0.11, tokens: 2_200, calls: 2, estimatedCalls: 0 },
        { model: 'small', costUsd: 0.01, tokens: 1_100, calls: 1, estimatedCalls: 0 },
      ],
      tightestCap: { scope: 'run', limitUsd: 1, spentUsd: 0.12, per: 'run' },
    });
  });

  it('come with a token that works while the run is active', async () => {
    const tokens = createModelTokens(db());
    const runId = await anActiveRun(db());
    expect(await tokens.setModelToken(runId, 'another process', 'hash')).toBe(false);
    expect(await tokens.setModelToken(runId, callOwner, 'hash')).toBe(true);
    expect((await tokens.findByModelToken('hash'))?.id).toBe(runId);
    expect(await tokens.setModelToken(runId, callOwner, 'newer hash')).toBe(true);
    expect(await tokens.findByModelToken('hash')).toBeUndefined();
    await createRuns(db()).change(runId, ['INPROGRESS'], { state: 'SUCCEEDED', ended_at: 5 });
    expect(await tokens.findByModelToken('newer hash')).toBeUndefined();
    expect(await tokens.setModelToken(runId, callOwner, 'late hash')).toBe(false);
  });
});
