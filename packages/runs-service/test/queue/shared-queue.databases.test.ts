import { expect, it } from 'vitest';
import { chooseNext } from '../../src/queue/active-runs.ts';
import { createQueueStore } from '../../src/store/queued-runs.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const aRun = (number: number) => aServiceRun({ creator_uid: `creator-${number % 4}` });

describeOnDatabase('claims at the same moment', (db) => {
  it('never exceed the concurrency of an environment, or take a run twice', async () => {
    const runs = createRuns(db());
    const queue = createQueueStore(db());
    for (let number = 0; number < 24; number += 1) await runs.create(aRun(number));
    const claim = (owner: string) =>
      queue.claim((queued, active) => chooseNext(queued, active, () => 3), {
        owner,
        forMs: 30_000,
      });
    const owners = Array.from({ length: 24 }, (_, number) => `owner-${number}`);
    const claimed = await Promise.all(owners.map(claim));
    const taken = claimed.filter((run) => run !== undefined);
    expect(taken).toHaveLength(3);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(3);
    expect(new Set(taken.map(({ creator_uid }) => creator_uid)).size).toBe(3);
    const [ended] = taken;
    expect(await queue.held(ended?.lease_owner ?? '')).toEqual([
      { id: ended?.id, cancel_requested: 0 },
    ]);
    await runs.change(ended?.id ?? '', ['INPROGRESS'], { state: 'SUCCEEDED', lease: null });
    const more = await Promise.all(owners.map(claim));
    expect(more.filter((run) => run !== undefined)).toHaveLength(1);
  });
});

describeOnDatabase('two services', (database) => {
  it('cancel runs of each other', async () => {
    const db = database();
    const environments = [shellEnvironment('echo ready; sleep 600', { repositories: [] })];
    const one = await startRunsService({ environments, db });
    const id = await one.begin({ prompt: 'x' });
    await one.printed(id, 'ready');
    const two = await startRunsService({ environments, db });
    await two.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await two.until(id, 'CANCELLED');
  });
});
