import { createLogger } from 'base/logger';
import { createRunsClient } from 'runs-client';
import { createRuns } from 'runs-service/store/runs';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { aServiceRun } from '../../packages/runs-service/test/support/service/service-run-builder.ts';
import { Follower } from '../../src/following/follower.ts';
import { createStore } from '../../src/store/store.ts';
import { aRun } from '../support/builders.ts';
import { followRuns } from '../support/database/followed-rows.ts';
import { describeOnWholeDatabase } from '../support/database/whole-database.ts';
import { attribution, caps, files } from '../support/posting/no-files.ts';

const hourMs = 3_600_000;

describeOnWholeDatabase('a follower of our service', (database) => {
  it('shows changes without waiting for a sweep, each with one list', async () => {
    const db = database();
    const { service } = await startRunsService({
      db,
      environments: [shellEnvironment('true', { id: 'demo' })],
      concurrency: 0,
    });
    const serviceRuns = createRuns(db);
    const { id } = await serviceRuns.create(aServiceRun());
    const client = createRunsClient({ baseUrl: service.apiUrl, apiKey: testKey });
    onTestFinished(() => client.close());
    const run = aRun({ run_id: id, state: 'QUEUED' });
    // The run is old, so that sweeps alone would be 30 seconds apart.
    await followRuns(db, [run], { now: Date.now() - 3 * hourMs, overMs: hourMs });

    const lists = vi.fn(client.runs.list);
    const follower = new Follower({
      store: createStore(db).following,
      runsOf: async () => ({ ...client.runs, list: lists }),
      files,
      attribution,
      caps,
      wakeOutbox: () => undefined,
      logger: createLogger('silent'),
    });
    follower.start();
    onTestFinished(() => follower.stop());
    const stateOf = async () => {
      const [request] = await createStore(db).following.requests.findByRunIds('default', [id]);
      return request?.run?.status_message?.message;
    };
    await expect.poll(() => lists.mock.calls.length).toBeGreaterThan(1);
    for (const message of ['one', 'two', 'three']) {
      const before = lists.mock.calls.length;
      await serviceRuns.change(id, ['QUEUED'], { status_json: JSON.stringify({ message }) });
      await expect.poll(stateOf).toBe(message);
      expect(lists.mock.calls.length - before).toBeLessThanOrEqual(2);
    }
  });
});
