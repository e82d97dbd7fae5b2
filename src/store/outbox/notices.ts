import type { Insertable, Selectable } from 'kysely';
import { nowMs } from '../database/clock.ts';
import type { Db } from '../schema.ts';
import type { NoticesTable } from '../schema-notices.ts';

export type Notices = ReturnType<typeof createNotices>;

/** The run ended, it needs its creator, or someone pressed *Show in channel*. */
export type NoticeKind = 'end' | 'nudge' | 'pointer';

/** Something to post once; the key is unique per request. Times are epoch milliseconds. */
export type NewNotice = {
  requestId: string;
  key: string;
  kind: NoticeKind;
  /** Who gets it as a direct message; null for the thread, or the channel in case of a pointer. */
  userId: string | null;
  /** Who is mentioned; for a pointer, who asked for it. */
  names: string[];
  /** Also shown in the channel. */
  toChannel: boolean;
  dueAt: number;
};

export type Notice = NewNotice & {
  /** When posting began. If it isn't done, it may have been posted. */
  beganAt: number | null;
  doneAt: number | null;
  /** When other notices replaced it, because its place was closed. If it was posted after all, it's a duplicate. */
  movedAt: number | null;
};

/** Posts about a request other than its run message. */
export function createNotices(db: Db) {
  const rowOf = (notice: Pick<Notice, 'requestId' | 'key'>) => changeOf(db, notice);

  return {
    /** All or none; notices that exist stay as they are. Answers how many are new. */
    plan: (notices: readonly NewNotice[]): Promise<number> => plan(db, notices),

    /** Also those that are done. */
    async list(requestId: string): Promise<Notice[]> {
      const rows = await db
        .selectFrom('notices')
        .selectAll()
        .where('request_id', '=', requestId)
        .orderBy('key')
        .execute();
      return rows.map(readNotice);
    },

    /** Answers false if another replica has begun or finished it since it was read. */
    async begin(notice: Notice, now: number): Promise<boolean> {
      const begun = await rowOf(notice)
        .set({ began_at: now })
        .where('began_at', notice.beganAt === null ? 'is' : '=', notice.beganAt)
        .where('done_at', 'is', null)
        .executeTakeFirst();
      return begun.numUpdatedRows === 1n;
    },

    /** This try certainly posted nothing; an earlier one may have. */
    async takeBack(notice: Notice, began: number): Promise<void> {
      await rowOf(notice).set({ began_at: notice.beganAt }).where('began_at', '=', began).execute();
    },

    async finish(notice: Notice, now: number): Promise<void> {
      await rowOf(notice).set({ done_at: now }).execute();
    },

    /** To be posted again, because the post is about to be removed. */
    async reopen(notice: Notice): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await changeOf(transaction, notice).set({ began_at: null, done_at: null }).execute();
        await transaction
          .updateTable('requests')
          .set({ end_notified_at: null, due_at: nowMs(db) })
          .where('id', '=', notice.requestId)
          .execute();
      });
    },

    /** Replaces a notice by others in one transaction, so that a crash can't leave both. */
    async move(notice: Notice, instead: readonly NewNotice[], now: number): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await plan(transaction, instead);
        await changeOf(transaction, notice).set({ done_at: now, moved_at: now }).execute();
      });
    },
  };
}

const changeOf = (db: Db, { requestId, key }: Pick<Notice, 'requestId' | 'key'>) =>
  db.updateTable('notices').where('request_id', '=', requestId).where('key', '=', key);

async function plan(db: Db, notices: readonly NewNotice[]): Promise<number> {
  if (notices.length === 0) return 0;
  const inserted = await db
    .insertInto('notices')
    .values(notices.map(newRow))
    .onConflict((conflict) => conflict.columns(['request_id', 'key']).doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0n);
}

const newRow = (notice: NewNotice): Insertable<NoticesTable> => ({
  request_id: notice.requestId,
  key: notice.key,
  kind: notice.kind,
  user_id: notice.userId,
  names_json: JSON.stringify(notice.names),
  to_channel: notice.toChannel ? 1 : 0,
  due_at: notice.dueAt,
});

const readNotice = (row: Selectable<NoticesTable>): Notice => ({
  requestId: row.request_id,
  key: row.key,
  kind: row.kind as NoticeKind,
  userId: row.user_id,
  names: JSON.parse(row.names_json) as string[],
  toChannel: row.to_channel === 1,
  dueAt: row.due_at,
  beganAt: row.began_at,
  doneAt: row.done_at,
  movedAt: row.moved_at,
});
