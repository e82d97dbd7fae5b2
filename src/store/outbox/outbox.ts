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

/** Stores everything that is posted to Slack. The run message of a request has the request's ID. */
export function createOutbox(db: Db) {
  return {
    /** Adds posts, and leaves existing ones as they are. Returns the number of new ones. */
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

    /** Returns all posts of a request, ordered by ID. */
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

    /** Returns the address of a request's run message. */
    async findMessage(requestId: string): Promise<PostPlace | undefined> {
      return (await this.find(requestId))?.place ?? undefined;
    },

    /** Adds a post that is listed in the run message. Returns false if it exists. */
    planAndShow: (post: NewPost): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if ((await plan(transaction, [post])) === 0) return false;
        await wake(transaction, post.requestId);
        return true;
      }),

    /**
     * Makes a post due for another update, even if its content is current. Ends the lease of a replica that is writing
     * the post, because that write may be outdated.
     */
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
     * Plans posts in the transaction that records a change, so that a crash can't separate them.
     * @param again IDs of planned posts that may have to be updated now
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

/** Column values that end the lease of a row, so that the replica with the lease can't write anymore. */
export const withoutLease = {
  version: sql<number>`version + 1`,
  lease_owner: null,
  lease_until: 0,
};

export async function write(db: Db, lease: Lease, changes: PostChanges): Promise<void> {
  await createLeases(db, 'outbox').write(lease, changedPost(lease.id, changes), ['id']);
}

/** Makes a post due, if it exists, so that it shows the stored state. */
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

/** Makes posts due that wait for the message of a request. */
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
