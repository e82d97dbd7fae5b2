import { expect, it } from 'vitest';
import {
  createModelCalls,
  type NewModelCall,
  type SettledCall,
} from '../../src/store/model-calls.ts';
import { createRuns } from '../../src/store/runs.ts';
import { createUsageSums } from '../../src/store/usage-sums.ts';
import { describeOnDatabase } from '../support/databases.ts';
import {
  aCall,
  anActiveRun,
  aSettledCall,
  callOwner,
} from '../support/service/model-call-builder.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const ever = { since: 0, until: Number.MAX_SAFE_INTEGER, creatorUid: undefined };

describeOnDatabase('sums of model calls', (db) => {
  async function ended(
    runId: string,
    call: Partial<NewModelCall> = {},
    settled: Partial<SettledCall> = {},
  ): Promise<void> {
    const calls = createModelCalls(db());
    const reserved = aCall(runId, {
      estimateMicros: 1,
      ...call,
      spendKeys: [`run:${runId}`],
    });
    await calls.reserve(reserved, []);
    await calls.settle(reserved.id, callOwner, aSettledCall(settled));
  }

  it('are grouped, with the most expensive first, for everyone or one creator', async () => {
    await db().deleteFrom('service_model_calls').execute();
    const runId = await anActiveRun(db());
    const other = await createRuns(db()).create(aServiceRun({ creator_uid: 'bob' }));
    const lease = { owner: callOwner, forMs: 1e6 };
    await createRuns(db()).change(other.id, ['QUEUED'], { state: 'INPROGRESS', lease });
    const labels = { workspace: 'T1', person: 'U1', channel: 'C1' };
    await ended(runId, { labels }, { priceMicros: 10 });
    await ended(
      runId,
      { labels: { ...labels, person: 'U2' } },
      { priceMicros: 20, isEstimated: true },
    );
    await ended(other.id, {}, { priceMicros: 7, servedModel: undefined });
    await ended(other.id, { model: 'gpt-6-sol' }, { servedModel: 'gpt-6-sol', priceMicros: 300 });
    // Calls that cost nothing, and calls in progress, don't count.
    await ended(runId, {}, { usage: undefined, priceMicros: 0 });
    await createModelCalls(db()).reserve(aCall(runId), []);

    const { sumBy } = createUsageSums(db());
    const by = async (grouping: Parameters<typeof sumBy>[1], filter = {}) =>
      (await sumBy({ ...ever, ...filter }, grouping)).map(({ name, calls }) => [name, calls]);
    expect(await by('model')).toEqual([
      ['gpt-6-sol', 1],
      ['claude-opus-5-5', 3],
    ]);
    expect(await by('person')).toEqual([
      ['ada', 2],
      ['T1/U2', 1],
      ['T1/U1', 1],
    ]);
    expect(await by('channel')).toEqual([
      [null, 2],
      ['T1/C1', 2],
    ]);
    expect(await by('environment')).toEqual([['demo', 4]]);
    expect(await by('day')).toEqual([[new Date().toISOString().slice(0, 10), 4]]);
    expect(await by('environment', { creatorUid: 'bob' })).toEqual([['demo', 2]]);
    expect(await by('environment', { until: 1 })).toEqual([]);
    const [sum] = await sumBy(ever, 'environment');
    expect(sum).toMatchObject({ micros: 337, estimated: 1, input: 4000, output: 400 });
  });

  it('have pages that contain each call once', async () => {
    await db().deleteFrom('service_model_calls').execute();
    const runId = await anActiveRun(db());
    for (let count = 0; count < 7; count += 1) await ended(runId);
    const { page } = createUsageSums(db());
    const found: string[] = [];
    for (let last = { startedAt: -1, id: '' }; ; ) {
      const calls = await page(ever, last, 3);
      found.push(...calls.map(({ id }) => id));
      const end = calls.at(-1);
      if (!end) break;
      last = { startedAt: end.started_at, id: end.id };
    }
    expect(new Set(found).size).toBe(7);
    expect(found).toHaveLength(7);
  });
});
