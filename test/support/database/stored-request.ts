import { type FollowedRequest, readFollowed } from '../../../src/store/requests/request-row.ts';
import type { Db } from '../../../src/store/schema.ts';

/** Reads a request with the follower's own state, without leasing it. */
export async function storedRequest(db: Db, id: string): Promise<FollowedRequest> {
  const row = await db
    .selectFrom('requests')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return readFollowed(row);
}
