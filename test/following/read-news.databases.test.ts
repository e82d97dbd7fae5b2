import type { Run } from 'runs-client/contract';
import type { RunChange } from 'runs-client/run-change';
import { beforeEach, expect, it } from 'vitest';
import { isCoveredBySweep } from '../../src/following/listening/listener.ts';
import { createConnections } from '../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../src/store/requests/request-leases.ts';
import { aRun } from '../support/builders.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { followRuns } from '../support/database/followed-rows.ts';

const start = Date.parse('2026-11-01T12:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const known = aRun({ run_id: 'a', state: 'INPROGRESS', updated_at: at(0) });
const change = (changes: Partial<RunChange> = {}): RunChange => ({
  run_id: 'a',
  state: 'INPROGRESS',
  updated_at: at(5),
  ...changes,
});

describeOnDatabase('an announced change', (database) => {
  beforeEach(async () => {
    for (const table of ['requests', 'outbox', 'connections'] as const)
      await database().deleteFrom(table).execute();
  });

  /** Announces changes. Returns whether a sweep is due, and the runs that are polled individually. */
  async function announce(
    changes: readonly RunChange[],
    {
      watermark = (start - 1_000) as number | null,
      mode = 'changes' as const,
      runs = [known] as Run[],
    } = {},
  ) {
    const [connections, followed] = [
      createConnections(database()),
      createFollowedRunsStore(database()),
    ];
    await followRuns(database(), runs, { overMs: 3_600_000 });
    await connections.wake('default', 0);
    const [lease] = await connections.claim('test', 60_000, 1);
    if (!lease) throw new Error('no sweep is due');
    await connections.release([{ lease, changes: { watermark, mode }, dueAt: null }]);
    const byId = new Map(changes.map((each) => [each.run_id, each]));
    const isDue = await isCoveredBySweep({ connections, followed, connectionId: 'default' }, byId);
    const due = await createRequestLeases(database()).claim('test', 60_000, 100);
    return { isDue, read: due.map(({ runId }) => runId) };
  }
  const nothing = { isDue: false, read: [] };

  it.each<[string, RunChange]>([
    ['a later time', change()],
    ['another state at the same time', change({ state: 'FAILED', updated_at: at(0) })],
  ])('of a followed run is swept: %s', async (_, each) => {
    expect(await announce([each])).toEqual({ isDue: true, read: [] });
  });

  it.each<[string, RunChange]>([
    ['what is known', change({ updated_at: at(0) })],
    ['what is older', change({ state: 'QUEUED', updated_at: at(-5) })],
    ['another run', change({ run_id: 'of-someone-else' })],
    ['a time that is none', change({ updated_at: 'now' })],
    ['an id that no run has', change({ run_id: "a\0' or 1=1" })],
  ])('changes nothing: %s', async (_, each) => {
    expect(await announce([each])).toEqual(nothing);
  });

  it('that is already stored by another replica is not asked for again', async () => {
    const followed = createFollowedRunsStore(database());
    await followRuns(database(), [known], { overMs: 3_600_000 });
    await followed.deliverUpdates([{ ...known, state: 'FAILED', updated_at: at(5) }]);
    expect(await announce([change({ state: 'FAILED' })], { runs: [] })).toMatchObject({
      isDue: false,
    });
  });

  it('that became visible after its time was swept is read by itself', async () => {
    expect(await announce([change()], { watermark: start + 10_000 })).toEqual({
      isDue: false,
      read: ['a'],
    });
  });

  it('that says of an end with an earlier time is read by itself: the clock of the service was set back', async () => {
    const end = change({ state: 'SUCCEEDED', updated_at: at(-5) });
    expect(await announce([end])).toEqual({ isDue: false, read: ['a'] });
  });

  it('is swept if nothing was swept before', async () => {
    expect(await announce([change()], { watermark: null })).toEqual({ isDue: true, read: [] });
  });

  it.each(['active list', 'one by one'] as const)(
    'changes nothing for a service that is watched by %s',
    async (mode) => {
      expect(await announce([change()], { mode: mode as 'changes' })).toEqual(nothing);
    },
  );
});
