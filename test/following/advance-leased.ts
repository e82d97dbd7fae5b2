import type { DueAt } from 'base/leased-work';
import { LeaseLost } from 'base/leased-work';
import { advance } from '../../src/following/steps/advance.ts';
import type { FollowingDeps } from '../../src/following/track.ts';
import { track } from '../../src/following/track.ts';
import type { RequestLeases } from '../../src/store/requests/request-leases.ts';
import type { FollowedRequest } from '../../src/store/requests/request-row.ts';

const never = new AbortController().signal;

/** Advances a leased request as far as possible and releases it, like the follower. @throws LeaseLost */
export async function advanceLeased(
  parts: FollowingDeps & { leases: Pick<RequestLeases, 'record' | 'check' | 'release'> },
  leased: FollowedRequest,
): Promise<DueAt> {
  const tracked = track(parts.leases, leased);
  const dueAt = await advance(parts, tracked, never);
  const finished = { lease: leased, changes: tracked.notes(), dueAt };
  const lost = await parts.leases.release([finished]);
  if (lost.length > 0) throw new LeaseLost(`request ${leased.id} belongs to another replica now`);
  return dueAt;
}
