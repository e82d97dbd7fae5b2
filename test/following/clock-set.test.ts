import type { CreateAttempt } from 'runs-client/create-attempt';
import { afterEach, expect, it, vi } from 'vitest';
import type { FollowingDeps } from '../../src/following/track.ts';
import { advanceLeased } from './advance-leased.ts';
import { posted, useOneRequest } from './one-request.ts';

const { leased, createParts, current } = useOneRequest();
const dayMs = 24 * 60 * 60_000;

afterEach(() => {
  vi.useRealTimers();
});

it("records the begin of a create by the service's clock too", async () => {
  const runs = {
    serviceNowMs: () => 5_000,
    create: async () => {
      throw new Error('killed');
    },
  };
  const parts = createParts({ runs: runs as unknown as FollowingDeps['runs'] });
  await expect(advanceLeased(parts, await leased(posted))).rejects.toThrow('killed');
  expect(await current()).toMatchObject({ createBeganServiceAt: 5_000 });
});

it('waits again when our clock was set back after a create began', async () => {
  const findCreated = vi.fn(async (_: CreateAttempt) => ({ outcome: 'unsure', why: '' }));
  const parts = createParts({ runs: { findCreated } as unknown as FollowingDeps['runs'] });
  await advanceLeased(parts, await leased({ ...posted, createBeganAt: Date.now() + dayMs }));
  const { createBeganAt } = await current();
  expect(createBeganAt).toBeLessThanOrEqual(Date.now());
  expect(findCreated.mock.calls[0]?.[0]).toMatchObject({ lastSentMs: createBeganAt });
});
