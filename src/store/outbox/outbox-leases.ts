import { nowMs } from 'base/database/clock';
import { createLeases, readEach } from 'base/database/leases';
import type { Finished, Lease, Leases } from 'base/leased-work';
import { type SqlBool, sql } from 'kysely';
import { hasActiveInstallation } from '../database-owner.ts';
import { readRow } from '../requests/request-row.ts';
import type { Db } from '../schema.ts';
import {
  changedPost,
  type OutboxRow,
  type Post,
  type PostChanges,
  readPost,
} from './outbox-row.ts';

export type OutboxLeases = ReturnType<typeof createOutboxLeases>;

const isNewMessage = sql<SqlBool>`(kind = 'run-message' and state = 'waiting')`;

export function createOutboxLeases(db: Db) {
  const leases = createLeases(db, 'outbox', {
    which: hasActiveInstallation('outbox'),
    // Post new run messages first, because a run starts when its message is posted.
    order: (now) => [
      sql<SqlBool>`${isNewMessage} and due_at <= ${now}`,
      sql<SqlBool>`not ${isNewMessage} and due_at <= ${now}`,
    ],
  });

  async function requestsOf(posts: readonly OutboxRow[]) {
    const ids = posts.flatMap(({ requestId }) => requestId ?? []);
    if (ids.length === 0) return new Map<string, never>();
    const rows = await db.selectFrom('requests').selectAll().where('id', 'in', ids).execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Marks a post whose replica lost its lease while it wrote to Slack. The next replica then searches for duplicates
   * and updates the post again.
   */
  async function suspectDuplicate(id: string, at: number): Promise<void> {
    await db
      .updateTable('outbox')
      .set({ suspected_at: at, check_at: at, show_again_at: at, due_at: nowMs(db) })
      .where('id', '=', id)
      .execute();
  }

  const claim: Leases<Post, PostChanges>['claim'] = async (owner, leaseMs, limit, onUnreadable) => {
    const leased = await leases.claim(owner, leaseMs, limit);
    const posts = readEach(leased, readPost, onUnreadable);
    const requests = await requestsOf(posts);
    const withRequest = (post: OutboxRow): Post => {
      const row = requests.get(post.requestId ?? '');
      return { ...post, request: row ? readRow(row) : null };
    };
    return readEach(posts, withRequest, onUnreadable);
  };

  return {
    renew: leases.renew,
    check: leases.check,
    nextDueInMs: leases.nextDueInMs,
    suspectDuplicate,

    claim,

    /**
     * Writes changes of a leased post.
     * @throws LeaseLost if another replica has the lease; then nothing is written
     */
    async record(lease: Lease, changes: PostChanges): Promise<void> {
      await leases.write(lease, changedPost(lease.id, changes), ['id']);
    },

    async release(finished: readonly Finished<PostChanges>[]): Promise<string[]> {
      // Release posts one by one, so that a failed release doesn't prevent the duplicate checks of other posts.
      const releaseOne = async (each: Finished<PostChanges>) => {
        const { lease, changes } = each;
        const lost = await leases.release([each], () => changedPost(lease.id, changes));
        if (lost.length > 0 && changes.shown !== undefined)
          await suspectDuplicate(lease.id, Date.now());
        return lost;
      };
      return (await Promise.all(finished.map(releaseOne))).flat();
    },
  };
}
