import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createDeliveries } from '../../../src/store/inbox/deliveries.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import type { Db } from '../../../src/store/schema.ts';
import { acceptDue } from '../../support/database/accept-due.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';

const hourMs = 3_600_000;
const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };

let db: Db;
beforeAll(async () => {
  db = await openTestDatabase(await createPostgresDatabase());
  return () => db.destroy();
});
afterEach(async () => {
  vi.useRealTimers();
  await db.deleteFrom('requests').execute();
});

/** Runs `act` on a replica whose clock is ahead of the database's, or behind it if the number is negative. */
async function withClock<T>(aheadMs: number, act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
  const result = await act();
  vi.useRealTimers();
  return result;
}

const accept = () => acceptDue(db, { id: 'r1', ...asked, config: {}, acceptedAt: Date.now() });

it('a request that a replica with a fast clock accepted is due at once', async () => {
  await withClock(hourMs, accept);
  expect(await createRequestLeases(db).claim('other', hourMs, 1)).toHaveLength(1);
});

it.each([
  ['fast', hourMs],
  ['slow', -hourMs],
])('a replica with a %s clock releases a request for ten minutes', async (_, aheadMs) => {
  await accept();
  const leases = createRequestLeases(db);
  await withClock(aheadMs, async () => {
    const [lease] = await leases.claim('skewed', hourMs, 1);
    if (!lease) throw new Error('nothing is due');
    await leases.release([{ lease, changes: {}, dueAt: Date.now() + hourMs / 6 }]);
  });
  const dueInMs = await leases.nextDueInMs();
  expect(dueInMs).toBeGreaterThan(hourMs / 12);
  expect(dueInMs).toBeLessThanOrEqual(hourMs / 6);
});

it("a replica with a fast clock doesn't forget deliveries too soon", async () => {
  const deliveries = createDeliveries(db);
  await deliveries.markFirst('event 1');
  await withClock(2 * hourMs, () => deliveries.prune(hourMs));
  expect(await deliveries.isMarked('event 1')).toBe(true);
});
