import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { FollowingDeps } from '../../../src/following/track.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { createRequestMarks } from '../../../src/store/requests/request-marks.ts';
import { aRun } from '../../support/builders.ts';
import { advanceLeased } from '../advance-leased.ts';
import { posted, useOneRequest } from '../one-request.ts';

const { database, leased, createParts, current, takeOver } = useOneRequest();

const creating = {
  create: async () => ({ run_id: 'run-1', state: 'QUEUED' }),
} as unknown as FollowingDeps['runs'];

it('reads a new run soon, because a sweep may have seen it before it was known', async () => {
  const parts = createParts({ runs: creating });
  const dueAt = await advanceLeased(parts, await leased(posted));
  expect(dueAt).toBeLessThan(Date.now() + 10_000);
});

const away = () => {
  throw new RunsApiError({ code: 'connection', message: 'rejected', retryable: true, sent: false });
};

it("keeps trying to start a run while the service can't be reached, and shows that", async () => {
  const parts = createParts({ runs: { create: away } as unknown as FollowingDeps['runs'] });
  const dueAt = await advanceLeased(parts, await leased(posted));
  expect(dueAt).toBeLessThan(Date.now() + 10_000);
  expect(await current()).toMatchObject({
    step: 'posted',
    createBeganAt: null,
    problem: { code: 'connection' },
  });
});

it('creates nothing when it was frozen while it recorded the begin, and another replica took over', async () => {
  const create = vi.fn(async () => ({ run_id: 'run-1', state: 'QUEUED' }));
  const parts = createParts({ runs: { create } as unknown as FollowingDeps['runs'] });
  const request = await leased(posted);
  const { record } = parts.leases;
  parts.leases.record = async (lease, changes) => {
    const asked = await record(lease, changes);
    await takeOver();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    return asked;
  };
  await expect(advanceLeased(parts, request)).rejects.toThrow('another replica');
  expect(create).not.toHaveBeenCalled();
});

it("doesn't start a run long after it was requested", async () => {
  const problem = { code: 'connection', message: '', since: Date.now() - 16 * 60_000 };
  const parts = createParts({ runs: { create: away } as unknown as FollowingDeps['runs'] });
  await advanceLeased(parts, await leased({ ...posted, problem }));
  expect(await current()).toMatchObject({ step: 'not_started', problem: { code: 'connection' } });
});

it('shows the state of a run at once when it had to be looked for', async () => {
  const run = aRun({ state: 'SUCCEEDED' });
  const findCreated = async () => ({ outcome: 'found', run, isSure: true });
  const parts = createParts({ runs: { findCreated } as unknown as FollowingDeps['runs'] });
  await advanceLeased(parts, await leased({ ...posted, createBeganAt: 5 }));
  expect(await current()).toMatchObject({ step: 'ended', run: { state: 'SUCCEEDED' } });
});

const following = { ...posted, step: 'following', runId: 'run-1' } as const;

it('stops following a run that was quiet for a week until someone selects Resume updates', async () => {
  const weekMs = 7 * 24 * 60 * 60_000;
  const quiet = aRun({ updated_at: new Date(Date.now() - weekMs - 60_000).toISOString() });
  const get = vi.fn(async () => quiet);
  const parts = createParts({ runs: { get } as unknown as FollowingDeps['runs'] });
  await advanceLeased(parts, await leased({ ...following, nextPollAt: 1 }));
  expect(await current()).toMatchObject({
    step: 'following',
    unfollowedAt: expect.any(Number),
    problem: { code: 'followed_long_enough' },
  });
  await againAdvance(parts);
  expect(get).toHaveBeenCalledTimes(1);
  expect(await createRequestMarks(database()).followAgain('r1', Date.now())).toBe(true);
  await againAdvance(parts);
  expect(get).toHaveBeenCalledTimes(2);
  expect(await current()).toMatchObject({ unfollowedAt: null, problem: null });
});

it('reads a run once more that a sweep wanted read while it was being read', async () => {
  const { pollNow } = createFollowedRunsStore(database());
  const get = vi.fn(async () => {
    if (get.mock.calls.length === 1) await pollNow(['run-1']);
    return aRun({ updated_at: new Date().toISOString() });
  });
  const parts = createParts({ runs: { get } as unknown as FollowingDeps['runs'] });
  await advanceLeased(parts, await leased({ ...following, nextPollAt: 1 }));
  await againAdvance(parts);
  await againAdvance(parts);
  expect(get).toHaveBeenCalledTimes(2);
});

async function againAdvance(parts: ReturnType<typeof createParts>): Promise<void> {
  const leases = createRequestLeases(database());
  await database().updateTable('requests').set({ due_at: 1, lease_until: 0 }).execute();
  const [request] = await leases.claim('test', 60_000, 1);
  if (!request) throw new Error('nothing is due');
  await advanceLeased(parts, request);
}

it('leaves an accepted request to its message', async () => {
  expect(await advanceLeased(createParts(), await leased({}))).toBeNull();
  expect(await current()).toMatchObject({ step: 'accepted' });
});
