import { createLogger } from 'base/logger';
import { expect, it, vi } from 'vitest';
import type { SweepDeps } from '../../../src/following/sweeps/sweep-changes.ts';
import { checkOneRun } from '../../../src/following/sweeps/sweep-changes.ts';
import { createConnections } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { aRun } from '../../support/builders.ts';
import { useDatabase } from '../../support/database/databases.ts';
import { followRuns } from '../../support/database/followed-rows.ts';

const database = useDatabase();

it("continues after a run with a request that can't be read", async () => {
  const runs = ['a', 'b'].map((run_id) => aRun({ run_id }));
  await followRuns(database(), runs, { overMs: 3_600_000 });
  const damaged = database().updateTable('requests').set({ problem_json: '{' });
  await damaged.where('run_id', '=', 'a').execute();
  const connections = createConnections(database());
  await connections.wake('default', 0);
  const [connection] = await connections.claim('test', 60_000, 1);
  if (!connection) throw new Error('no sweep is due');
  const get = vi.fn(async (_: string) => runs[1]);
  const followed = createFollowedRunsStore(database());
  const parts = { followed, runs: { get }, logger: createLogger('silent') };
  let checked = connection;
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    const swept = await checkOneRun(
      parts as unknown as SweepDeps,
      checked,
      new AbortController().signal,
    );
    checked = { ...checked, ...swept, checkAt: 0 };
  }
  expect(checked.checkedRunId).toBe('b');
  expect(get.mock.calls.map(([runId]) => runId)).toEqual(['b']);
});
