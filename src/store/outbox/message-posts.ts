import { nowMs } from 'base/database/clock';
import type { Lease } from 'base/leased-work';
import type { Transaction } from 'kysely';
import type { RequestProblem } from '../../requests/run-progress.ts';
import type { RequestStep } from '../../requests/steps.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { wakeReplies, withoutLease, write } from './outbox.ts';
import { changedPost, type NewPost, type PostChanges, type PostPlace } from './outbox-row.ts';

export type MessagePosts = ReturnType<typeof createMessagePosts>;

/** Returns the planned run message of a request. */
export const runMessageOf = ({ id, teamId }: { id: string; teamId: string }): NewPost => ({
  id,
  kind: 'run-message',
  teamId,
  requestId: id,
  content: {},
  dueAt: Date.now(),
});

/** A reply in the thread of a run message, with its changes when that message is replaced. */
export type MovedReply = { id: string; changes: PostChanges };

/**
 * Changes a request when its run message is posted, delayed or rejected, each in one transaction. Requests are written
 * before posts, as everywhere, because transactions that lock the same rows in different orders deadlock.
 */
export function createMessagePosts(db: Db) {
  const inTransaction = (work: (transaction: Transaction<DatabaseSchema>) => Promise<void>) =>
    db.transaction().execute(work);

  return {
    /** Records a posted message. The run can start now. */
    posted: (lease: Lease, changes: PostChanges): Promise<void> =>
      inTransaction(async (transaction) => {
        await letStart(transaction, lease.id);
        await write(transaction, lease, changes);
        await wakeReplies(transaction, lease.id);
      }),

    /** Lets the run start before its message is posted, because Slack's rate limits delay the message. */
    postponed: (requestId: string): Promise<void> => letStart(db, requestId),

    /**
     * Records a rejected message. Ends the request, unless the follower has begun to create the run. The run then
     * continues without a message.
     */
    rejected: (lease: Lease, changes: PostChanges, reason: string): Promise<void> =>
      inTransaction(async (transaction) => {
        await endUnstarted(transaction, lease.id, reason);
        await write(transaction, lease, changes);
        await wakeReplies(transaction, lease.id);
      }),

    /** Records that a person deleted the message. Replies in the remaining thread still belong to its run. */
    deleted: (lease: Lease, changes: PostChanges, { channelId, ts }: PostPlace): Promise<void> =>
      inTransaction(async (transaction) => {
        await transaction
          .updateTable('requests')
          .set({ thread_ts: ts })
          .where('id', '=', lease.id)
          .where('channel_id', '=', channelId)
          .where('thread_ts', 'is', null)
          .execute();
        await write(transaction, lease, changes);
      }),

    /**
     * Records that another message replaces the leased one. Replies that are being posted in the thread of the leased
     * message lose their leases.
     */
    replaced: (lease: Lease, changes: PostChanges, replies: readonly MovedReply[]): Promise<void> =>
      inTransaction(async (transaction) => {
        await write(transaction, lease, changes);
        for (const { id, changes: moved } of replies)
          await transaction
            .updateTable('outbox')
            .set({ ...changedPost(id, moved), ...withoutLease, due_at: null })
            .where('id', '=', id)
            .execute();
      }),
  };
}

async function letStart(db: Db, requestId: string): Promise<void> {
  await db
    .updateTable('requests')
    .set({ step: 'posted' satisfies RequestStep, due_at: nowMs(db) })
    .where('id', '=', requestId)
    .where('step', '=', 'accepted' satisfies RequestStep)
    .execute();
}

/**
 * Ends a request that has no message and no run yet. Takes the lease from a follower that hasn't begun to create the
 * run.
 */
async function endUnstarted(db: Db, requestId: string, reason: string): Promise<void> {
  const now = Date.now();
  const problem: RequestProblem = { code: 'cannot_post', message: reason, since: now };
  const ended = { step: 'ended' satisfies RequestStep, ended_at: now, due_at: null };
  await db
    .updateTable('requests')
    .set({ ...ended, problem_json: JSON.stringify(problem), ...withoutLease })
    .where('id', '=', requestId)
    .where('step', 'in', ['accepted', 'posted'] satisfies RequestStep[])
    .where('create_began_at', 'is', null)
    .execute();
}
