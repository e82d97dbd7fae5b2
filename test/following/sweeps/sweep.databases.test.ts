import { expect, it, vi } from 'vitest';
import type { Connection } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { at, changed, connection, createSweeping, start } from './sweep-once.ts';

describeOnDatabase('a sweep', (database) => {
  const { follow, sweepOnce } = createSweeping(database);

  it('makes exactly the requests of changed runs due, and stores the watermark', async () => {
    const runs = ['a', 'b', 'c'].map((run_id) => aRun({ run_id, updated_at: at(-60) }));
    await follow(runs);
    const now = [{ ...aRun({ run_id: 'b' }), state: 'SUCCEEDED', updated_at: at(7) }];
    const foreign = aRun({ run_id: 'somebody-else', updated_at: at(9) });
    const { changes, due } = await sweepOnce((query) => changed(query, [...now, foreign]), {
      watermark: start - 90_000,
    });
    expect(due.map(({ runId, pendingUpdate }) => [runId, pendingUpdate?.state])).toEqual([
      ['b', 'SUCCEEDED'],
    ]);
    expect(changes.watermark).toBe(start + 9_000 - 60_000);
  });

  it("ignores a run that hasn't changed", async () => {
    const run = aRun({ updated_at: at(1) });
    await follow([run]);
    const { due } = await sweepOnce(() => [run]);
    expect(due).toEqual([]);
  });

  it('lists active runs if the service ignores updated_after, and reads those that are gone', async () => {
    await follow([aRun({ run_id: 'going' }), aRun({ run_id: 'over' }), aRun({ run_id: 'third' })]);
    const ignoring = await sweepOnce(() => [aRun({ run_id: 'old', updated_at: at(-9_999) })]);
    expect(ignoring.changes).toMatchObject({ mode: 'active list' });
    expect(ignoring.nextInMs).toBe(0);
    const going = aRun({ run_id: 'going', state: 'BLOCKED', updated_at: at(5) });
    const { due } = await sweepOnce(() => [going], { mode: 'active list' });
    expect(due.map(({ runId, pendingUpdate }) => [runId, pendingUpdate?.state]).sort()).toEqual([
      ['going', 'BLOCKED'],
      ['over', undefined],
      ['third', undefined],
    ]);
  });

  it('reads runs one by one if the service ignores the state too', async () => {
    await follow([aRun({ run_id: 'going' })]);
    const ended = aRun({ run_id: 'foreign', state: 'FAILED' });
    const { changes, due } = await sweepOnce(() => [ended], { mode: 'active list' });
    expect(changes).toMatchObject({ mode: 'one by one' });
    expect(due.map(({ runId }) => runId)).toEqual(['going']);
  });

  it('tries the best mode again after a while', async () => {
    await follow([aRun({ run_id: 'going' })]);
    const { changes, queries } = await sweepOnce(() => [], { mode: 'one by one', modeUntil: 0 });
    expect(changes).toMatchObject({ mode: 'changes' });
    expect(queries[0]).toHaveProperty('updated_after');
  });

  it('shows an outage of some seconds in every message, once, until it is over', async () => {
    await follow([aRun({ run_id: 'a' }), aRun({ run_id: 'b' })]);
    const down = () => 503 as const;
    const first = await sweepOnce(down);
    expect(first.due).toEqual([]);
    expect(first.changes).toMatchObject({
      failures: 1,
      problemShown: false,
      problem: { code: 'server_error' },
    });
    const since = Date.now() - 10_000;
    const problem = { code: 'server_error', message: '', since };
    const later = await sweepOnce(down, { failures: 3, problem });
    expect(later.changes).toMatchObject({ failures: 4, problemShown: true, problem: { since } });
    expect(later.due.map((request) => request.problem?.since)).toEqual([since, since]);
    const leases = createRequestLeases(database());
    for (const lease of later.due) await leases.release([{ lease, changes: {}, dueAt: null }]);
    const healed = await sweepOnce(() => [], { failures: 4, problem, problemShown: true });
    expect(healed.changes).toMatchObject({ failures: 0, problem: null, problemShown: false });
    expect(healed.due.map((request) => request.problem)).toEqual([null, null]);
  });

  it('clears the messages also if the process that set them was killed before it recorded that', async () => {
    await follow([aRun()]);
    const problem = { code: 'server_error', message: '', since: Date.now() - 10_000 };
    await createFollowedRunsStore(database()).showProblem(problem, connection());
    const { due } = await sweepOnce(() => [], { failures: 3, problem, problemShown: false });
    expect(due.map((request) => request.problem)).toEqual([null]);
  });

  it('waits as long as the service asks, without showing it', async () => {
    await follow([aRun({ run_id: 'a' })]);
    const problem = { code: 'rate_limited', message: '', since: Date.now() - 60_000 };
    const { changes, nextInMs, due } = await sweepOnce(() => 429, { failures: 5, problem });
    expect(nextInMs).toBeGreaterThanOrEqual(30_000);
    expect(changes).toMatchObject({ problemShown: false });
    expect(due).toEqual([]);
  });

  it("starts with the newest changes, by the service's clock", async () => {
    await follow([aRun({ run_id: 'a', updated_at: at(-60) })]);
    const now = [
      aRun({ run_id: 'a', state: 'FAILED', updated_at: at(-5) }),
      aRun({ run_id: 'b', updated_at: at(-9) }),
    ];
    const { changes, due, queries } = await sweepOnce(() => now, { watermark: null });
    expect(queries).toEqual([{ sort_by: 'updated_at', sort_order: 'desc', limit: '100' }]);
    expect(due.map(({ pendingUpdate }) => pendingUpdate?.state)).toEqual(['FAILED']);
    expect(changes).toMatchObject({ mode: 'changes', watermark: start - 9_250 });
  });

  it('checks single runs if the service lists nothing although runs are followed', async () => {
    await follow([aRun({ run_id: 'a' })]);
    const { changes, looks, due } = await sweepOnce(
      () => [],
      { watermark: null, checkAt: 0 },
      () => aRun({ run_id: 'a', state: 'FAILED' }),
    );
    expect(looks).toEqual(['a']);
    expect(due.map(({ runId }) => runId)).toEqual(['a']);
    expect(changes).toMatchObject({ mode: 'changes', watermark: null, checkedRunId: 'a' });
  });

  it('keeps up with a service whose clock is a day ahead', async () => {
    await follow([aRun({ run_id: 'a' })]);
    const dayMs = 24 * 60 * 60_000;
    const changedAt = Date.now() + dayMs;
    const now = [aRun({ run_id: 'a', updated_at: new Date(changedAt).toISOString() })];
    const { changes } = await sweepOnce(() => now, { watermark: null }, undefined, dayMs);
    expect(changes.watermark).toBe(changedAt - 250);
  });

  it('ignores a run that claims to have changed in the far future', async () => {
    await follow([aRun({ run_id: 'a' })]);
    const claims = aRun({ run_id: 'claims', updated_at: '2099-01-01T00:00:00Z' });
    const { changes } = await sweepOnce((query) => changed(query, [claims]));
    expect(changes.watermark).toBe(start);
  });

  it('lists active runs if the filter hides even the newest known change', async () => {
    await follow([aRun({ run_id: 'a' })]);
    const newest = aRun({ run_id: 'b', updated_at: at(3) });
    const { changes, nextInMs } = await sweepOnce((query) => (query.updated_after ? [] : [newest]));
    expect([changes.mode, nextInMs]).toEqual(['active list', 0]);
  });

  it('lists active runs if the service has lost the newest change', async () => {
    await follow([aRun({ run_id: 'kept' }), aRun({ run_id: 'forgotten' })]);
    const kept = aRun({ run_id: 'kept', updated_at: at(-600) });
    const { changes, due } = await sweepOnce((query) => (query.updated_after ? [] : [kept]));
    expect(changes).toMatchObject({ mode: 'changes', watermark: start - 600_250 });
    expect(
      due.filter(({ pendingUpdate }) => pendingUpdate === null).map(({ runId }) => runId),
    ).toEqual(['forgotten']);
  });

  it('checks one run after the other, however many are followed', async () => {
    const runs = ['a', 'b', 'c'].map((run_id) => aRun({ run_id }));
    await follow(runs);
    const single = (runId: string) => aRun({ run_id: runId });
    const newest = [aRun({ run_id: 'foreign', updated_at: at(1) })];
    const looked: string[] = [];
    let checked: Partial<Connection> = { checkAt: 0 };
    for (let sweeps = 0; sweeps < 4; sweeps += 1) {
      const sweptAt = Date.now();
      const { changes, looks, due } = await sweepOnce(() => newest, checked, single);
      looked.push(...looks);
      expect(due).toEqual([]);
      expect(changes.checkAt).toBeGreaterThan(sweptAt + 5_000);
      checked = { ...changes, checkAt: 0 };
    }
    expect(looked).toEqual(['a', 'b', 'c', 'a']);
  });

  it.each([
    ['is gone', () => 404 as const],
    ['has changed without being listed', () => aRun({ run_id: 'a', state: 'FAILED' })],
  ])('has a run read that %s, and keeps sweeping changes', async (_, single) => {
    await follow([aRun({ run_id: 'a' }), aRun({ run_id: 'b' })]);
    const newest = [aRun({ run_id: 'foreign', updated_at: at(1) })];
    const { changes, due } = await sweepOnce(() => newest, { checkAt: 0 }, single);
    expect(due.map(({ runId, nextPollAt }) => [runId, nextPollAt])).toEqual([
      ['a', expect.any(Number)],
    ]);
    expect(changes).toMatchObject({ mode: 'changes', failures: 0, checkedRunId: 'a' });
  });

  it.each([429, 503] as const)(
    "isn't stopped by a single run that is answered with %d",
    async (status) => {
      await follow([aRun({ run_id: 'a' })]);
      const newest = [aRun({ run_id: 'foreign', updated_at: at(1) })];
      const { changes, nextInMs } = await sweepOnce(
        () => newest,
        { checkAt: 0 },
        () => status,
      );
      expect(changes).toMatchObject({ failures: 0, problem: null, checkedRunId: 'a' });
      expect(nextInMs).toBe(30_000);
    },
  );

  it('asks nothing if no run is followed', async () => {
    const answer = vi.fn(() => []);
    const { nextInMs, queries } = await sweepOnce(answer);
    expect(nextInMs).toBeNull();
    expect(queries).toEqual([]);
  });
});
