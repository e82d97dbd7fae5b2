import { nowMs } from 'base/database/clock';
import { createLeases } from 'base/database/leases';
import type { Lease } from 'base/leased-work';
import { sql } from 'kysely';
import { isOwned } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import {
  changedPost,
  type NewPost,
  newRow,
  type OutboxRow,
  type PostChanges,
  type PostPlace,
  readPost,
} from './outbox-row.ts';

export type Outbox = ReturnType<typeof createOutbox>;

/** Everything that is posted to Slack. The run message of a request has the request's id. */
export function createOutbox(db: Db) {
  return {
    /** Adds posts. Existing ones stay as they are. Returns the number of new ones. */
    plan: (posts: readonly NewPost[]): Promise<number> => plan(db, posts),

    async find(id: string): Promise<OutboxRow | undefined> {
      const row = await db
        .selectFrom('outbox')
        .selectAll()
        .where('id', '=', id)
        .where(isOwned('outbox'))
        .executeTakeFirst();
      return row && readPost(row);
    },

    /** All posts of a request, in the order of their ids. */
    async ofRequest(requestId: string): Promise<OutboxRow[]> {
      const rows = await db
        .selectFrom('outbox')
        .selectAll()
        .where('request_id', '=', requestId)
        .where(isOwned('outbox'))
        .orderBy('id')
        .execute();
      return rows.map(readPost);
    },

    /** Where the run message of a request is. */
    async findMessage(requestId: string): Promise<PostPlace | undefined> {
      return (await this.find(requestId))?.place ?? undefined;
    },

    /** Adds a post that the run message shows. Returns false if it exists. */
    planAndShow: (post: NewPost): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if ((await plan(transaction, [post])) === 0) return false;
        await wake(transaction, post.requestId);
        return true;
      }),

    /** Writes it once more, even if it shows what it should. A write that is under way counts as earlier. */
    async showAgain(id: string): Promise<boolean> {
      const updated = await db
        .updateTable('outbox')
        .set({ ...withoutLease, show_again_at: Date.now(), due_at: nowMs(db) })
        .where('id', '=', id)
        .where(isOwned('outbox'))
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    /**
     * One transaction, so that a crash can't leave one without the other.
     * @param again ids of posts, planned before, that may have to show something else now
     * @throws LeaseLost
     */
    planUnder: (
      lease: Lease,
      changes: PostChanges,
      posts: readonly NewPost[],
      again: readonly string[] = [],
    ): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        await write(transaction, lease, changes);
        await plan(transaction, posts);
        for (const id of again) await wake(transaction, id);
      }),
  };
}

/** Takes a row from the replica that works on it. */
export const withoutLease = {
  version: sql<number>`version + 1`,
  lease_owner: null,
  lease_until: 0,
};

export async function write(db: Db, lease: Lease, changes: PostChanges): Promise<void> {
  await createLeases(db, 'outbox').write(lease, changedPost(lease.id, changes), ['id']);
}

/** Has a post, if there is one, show what is stored now. */
export async function wake(db: Db, id: string | null): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ due_at: nowMs(db) })
    .where('id', '=', id)
    .execute();
}

async function plan(db: Db, posts: readonly NewPost[]): Promise<number> {
  if (posts.length === 0) return 0;
  const inserted = await db
    .insertInto('outbox')
    .values(posts.map((post) => newRow(db, post)))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0n);
}

/** Has posts of a request that wait for its message worked on. */
export async function wakeReplies(db: Db, requestId: string): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ due_at: nowMs(db) })
    .where('request_id', '=', requestId)
    .where('id', '<>', requestId)
    .where('state', '=', 'waiting')
    .where('due_at', 'is', null)
    .where('lease_owner', 'is', null)
    .execute();
}
