import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createModelCalls, type NewModelCall } from '../../src/store/model-calls.ts';
import type { Db } from '../../src/store/schema.ts';
import type { SpendCap } from '../../src/store/spend-cap.ts';
import { createDatabase, openTestDatabase } from '../support/databases.ts';
import { aCall, aCap, anActiveRun, aSettledCall } from '../support/service/model-call-builder.ts';

const services = ['service-a', 'service-b'] as const;

describe(`200 runs of two services with shared caps on ${inject('database')}`, () => {
  let pools: Db[] = [];
  beforeAll(async () => {
    const url = await createDatabase();
    // Only one process can use a SQLite file, so both services share its connection.
    const first = await openTestDatabase(url);
    pools = inject('database') === 'PostgreSQL' ? [first, await openTestDatabase(url)] : [first];
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
  });

  /** Makes calls in 200 runs until all of them find a cap used up. Returns what the calls cost. */
  async function spendAll(
    capsOf: (runId: string) => SpendCap[],
    endOf: (random: number) => { priceMicros: number | undefined; isLost?: true },
  ) {
    const [first] = pools;
    if (!first) throw new Error('no database');
    const stores = services.map((_, index) => createModelCalls(pools[index] ?? first));
    const runIds = await Promise.all(Array.from({ length: 200 }, () => anActiveRun(first)));
    let inFlight = 0;
    let mostInFlight = 0;
    await Promise.all(
      runIds.map(async (runId, index) => {
        const owner = services[index % 2] ?? services[0];
        const store = stores[index % 2];
        if (!store) throw new Error('no store');
        const caps = capsOf(runId);
        const spendKeys = caps.map(({ key }) => key).reverse();
        const more: Partial<NewModelCall> = { owner, spendKeys, estimateMicros: 20_000 };
        for (;;) {
          const call = aCall(runId, more);
          const { outcome } = await store.reserve(call, caps);
          if (outcome === 'over') return;
          await setTimeout(outcome === 'busy' ? 20 : 1);
          if (outcome === 'busy') continue;
          expect(outcome).toBe('reserved');
          inFlight += 1;
          mostInFlight = Math.max(mostInFlight, inFlight);
          const { priceMicros, isLost } = endOf(Math.random());
          if (isLost) {
            await first
              .updateTable('service_model_calls')
              .set({ lease_until: 0 })
              .where('id', '=', call.id)
              .execute();
            await stores[(index + 1) % 2]?.settleLost();
          } else await store.settle(call.id, owner, aSettledCall({ priceMicros }));
          inFlight -= 1;
        }
      }),
    );
    const rows = await first
      .selectFrom('service_model_calls')
      .selectAll()
      .where('run_id', 'in', runIds)
      .execute();
    return { rows, mostInFlight, store: stores[0] };
  }

  it('spend no more than one call beyond a cap if calls cost what was reserved', async () => {
    const cap = aCap({ key: 'workspace:exact', limitMicros: 5_000_000 });
    const { rows, store } = await spendAll(
      () => [cap],
      () => ({ priceMicros: 20_000 }),
    );
    const [state] = (await store?.statesOf([cap])) ?? [];
    expect(state).toMatchObject({ spent: 5_000_000, reserved: 0 });
    expect(rows).toHaveLength(250);
  });

  it('spend at most one call for each run in flight beyond a cap, whatever the calls report', async () => {
    const shared = [
      aCap({ key: 'workspace:any', limitMicros: 4_000_000 }),
      aCap({ key: 'channel:any', limitMicros: 4_500_000, per: 'month', timeZone: 'Asia/Tokyo' }),
      aCap({ key: 'person:any', limitMicros: 5_000_000, per: 'week' }),
    ];
    let number = 0;
    const { rows, mostInFlight, store } = await spendAll(
      // Runs name their caps in different orders, which must not make them wait for each other forever.
      (runId) => {
        number += 1;
        const own = aCap({ scope: 'run', key: `run:${runId}`, per: 'run', limitMicros: 900_000 });
        return number % 2 === 0 ? [own, ...shared] : [...shared.toReversed(), own];
      },
      (random) => {
        if (random < 0.05) return { priceMicros: 20_000, isLost: true };
        return { priceMicros: random < 0.3 ? undefined : Math.ceil(random * 40_000) };
      },
    );
    const states = (await store?.statesOf(shared)) ?? [];
    const spent = rows.reduce((sum, { price_micros: price }) => sum + (price ?? 0), 0);
    for (const state of states) expect(state).toMatchObject({ spent, reserved: 0 });
    expect(spent).toBeGreaterThanOrEqual(4_000_000);
    expect(spent - 4_000_000).toBeLessThanOrEqual(mostInFlight * 40_000);
    expect(rows.filter(({ ended_at: at }) => at === null)).toEqual([]);
    expect(rows.filter(({ estimated }) => estimated === 1)).not.toEqual([]);
  });
});
