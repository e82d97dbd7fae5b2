import { type Lease, LeaseLost, type Leases, type Task } from 'base/leased-work';
import { advance } from '../../../src/following/steps/advance.ts';
import type { FollowingDeps } from '../../../src/following/track.ts';
import { track } from '../../../src/following/track.ts';
import type { OutboxDeps } from '../../../src/outbox/outbox-deps.ts';
import { workOnPost } from '../../../src/outbox/outbox-worker.ts';
import { trackPost } from '../../../src/outbox/track-post.ts';
import type { OutboxLeases } from '../../../src/store/outbox/outbox-leases.ts';
import type { RequestLeases } from '../../../src/store/requests/request-leases.ts';

export type WorkThroughDeps = {
  following: FollowingDeps & { leases: RequestLeases };
  posting: OutboxDeps & { store: { leases: OutboxLeases } };
};

const never = new AbortController().signal;
const leaseMs = 60_000;
const mostRounds = 20;

/**
 * Works on due requests and posts, one after the other, until none is left.
 * @throws LeaseLost
 * @returns how many were due
 */
export async function workThrough({ following, posting }: WorkThroughDeps): Promise<number> {
  let worked = 0;
  for (let round = 0; round < mostRounds; round += 1) {
    const before = worked;
    worked += await workOnOne(following.leases, (request) => {
      const tracked = track(following.leases, request);
      return {
        run: (signal) => advance(following, tracked, signal),
        changes: tracked.notes,
      };
    });
    worked += await workOnOne(posting.store.leases, (post) => {
      const tracked = trackPost(posting.store.leases, post);
      return {
        run: (signal) => workOnPost(posting, tracked, signal),
        changes: tracked.notes,
      };
    });
    if (worked === before) return worked;
  }
  throw new Error('there is always more to do');
}

async function workOnOne<Row extends Lease, Changes>(
  leases: Leases<Row, Changes>,
  begin: (row: Row) => Task<Changes>,
): Promise<number> {
  const [row] = await leases.claim('test', leaseMs, 1);
  if (!row) return 0;
  const task = begin(row);
  const dueAt = await task.run(never);
  const lost = await leases.release([{ lease: row, changes: task.changes(), dueAt }]);
  if (lost.length > 0) throw new LeaseLost(`${row.id} belongs to another replica now`);
  return 1;
}
