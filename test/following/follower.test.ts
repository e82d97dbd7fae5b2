import type { Finished } from 'base/leased-work';
import { createLogger } from 'base/logger';
import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it, onTestFinished } from 'vitest';
import { Follower, type FollowerDeps } from '../../src/following/follower.ts';
import { aRequest, aRun } from '../support/builders.ts';

/** Creates a follower of a store that leased the same request to it twice, as after a long pause of the process. */
function aSlowFollower() {
  const claims = [1, 2].map((version) =>
    aRequest({ step: 'following', version, nextPollAt: null, pendingUpdate: null }),
  );
  const looks: (() => void)[] = [];
  const renewed: (readonly string[])[] = [];
  const released: number[] = [];
  const leases = {
    claim: async () => claims.splice(0, 1),
    nextDueInMs: async () => (claims.length > 0 ? 0 : 10),
    renew: async (_owner: string, _leaseMs: number, ids: readonly string[]) => {
      renewed.push(ids);
    },
    async release(finished: readonly Finished<unknown>[]) {
      released.push(...finished.map(({ lease }) => lease.version));
      return [];
    },
  };
  const connections = {
    wake: async () => undefined,
    claim: async () => [],
    nextDueInMs: async () => undefined,
    find: async () => undefined,
    renew: async () => undefined,
  };
  const get = () =>
    new Promise((resolve) =>
      looks.push(() => resolve(aRun({ updated_at: '2026-11-01T12:00:01Z' }))),
    );
  // biome-ignore lint/correctness/useYield: a stream that has nothing
  const noEvents = async function* () {
    throw new RunsApiError({ code: 'not_found', message: '' });
  };
  const parts = {
    store: { leases, connections, followedOf: () => ({}) },
    wakeOutbox: () => undefined,
    runsOf: async () => ({ get, events: noEvents }),
    logger: createLogger('silent'),
  } as unknown as FollowerDeps;
  const follower = new Follower(parts);
  onTestFinished(async () => {
    for (const look of looks) look();
    await follower.stop();
  });
  return { follower, looks, renewed, released };
}

it('keeps the newer lease of a request when older work on it ends', async () => {
  const { follower, looks, renewed, released } = aSlowFollower();
  follower.start();
  await expect.poll(() => looks).toHaveLength(2);
  looks[0]?.();
  await expect.poll(() => released).toEqual([1]);
  renewed.length = 0;
  await expect.poll(() => renewed.length).toBeGreaterThan(0);
  expect(renewed[0]).toEqual(['T1-V1']);
});

it('has stopped when running work has ended and its leases are released', async () => {
  const { follower, looks, released } = aSlowFollower();
  follower.start();
  await expect.poll(() => looks).toHaveLength(2);
  const stopped = follower.stop();
  setImmediate(() => {
    for (const look of looks) look();
  });
  await stopped;
  expect(released).toEqual([1, 2]);
});
