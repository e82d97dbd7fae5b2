import { beforeEach, expect, it } from 'vitest';
import { createConnections } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { followRuns } from '../../support/database/followed-rows.ts';

describeOnDatabase('who sweeps a connection', (database) => {
  beforeEach(async () => {
    for (const table of ['connections', 'requests', 'outbox'] as const)
      await database().deleteFrom(table).execute();
    await createConnections(database()).wake('default', 0);
  });
  const expire = () => database().updateTable('connections').set({ lease_until: 1 }).execute();

  it('is one replica at a time, even if another wants a sweep at once', async () => {
    const connections = createConnections(database());
    expect(await connections.claim('one', 60_000, 1)).toMatchObject([{ id: 'default' }]);
    await connections.wake('default', 0);
    expect(await connections.claim('other', 60_000, 1)).toEqual([]);
  });

  it('is another when the first was frozen past its lease, and the first writes nothing afterwards', async () => {
    const connections = createConnections(database());
    const [slept] = await connections.claim('one', 60_000, 1);
    await expire();
    const [taken] = await connections.claim('other', 60_000, 1);
    if (!slept || !taken) throw new Error('nothing to sweep');
    const late = { lease: slept, changes: { watermark: 5, failures: 7 }, dueAt: 0 };
    expect(await connections.release([late])).toEqual(['default']);
    expect(await connections.find('default')).toMatchObject({ watermark: null, failures: 0 });
    expect(await connections.claim('one', 60_000, 1)).toEqual([]);
    const changes = { watermark: 9 };
    await connections.release([{ lease: taken, changes, dueAt: Date.now() + 60_000 }]);
    expect(await connections.find('default')).toMatchObject({ watermark: 9 });
  });

  it('shows no outage any more when it was frozen and another one sweeps: nobody would clear it', async () => {
    await followRuns(database(), [aRun()], { overMs: 3_600_000 });
    const connections = createConnections(database());
    const [slept] = await connections.claim('one', 60_000, 1);
    await expire();
    const [taken] = await connections.claim('other', 60_000, 1);
    if (!slept || !taken) throw new Error('nothing to sweep');
    const { showProblem, next } = createFollowedRunsStore(database());
    const problem = { code: 'server_error', message: '', since: 1 };
    await showProblem(problem, slept);
    expect(await next(null)).toMatchObject({ request: { problem: null } });
    await showProblem(problem, taken);
    expect(await next(null)).toMatchObject({ request: { problem } });
  });
});
