import { createColumns } from 'base/database/columns';
import { afterOwnMs } from 'base/database/leases';
import type { Lease } from 'base/leased-work';
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';
import type { z } from 'zod';
import { owners } from '../encrypted-columns.ts';
import type { RunRequest } from '../requests/request-row.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { type OutboxTable, postSchema } from '../schema-outbox.ts';

/** Address of a message in Slack. */
export type PostPlace = { channelId: string; ts: string };

/**
 * A post that appears once in Slack, and where it is. Times are epoch ms by the bot's clock unless noted. The version
 * is that of the lease with which it was read.
 */
export type OutboxRow = z.infer<typeof postSchema> &
  Pick<Lease, 'version'> & { place: PostPlace | null };

/** A leased post, with its request if it has one. */
export type Post = OutboxRow & { request: RunRequest | null };

/** Post to add. `dueAt` is null if the post waits for another one. */
export type NewPost = Pick<OutboxRow, 'id' | 'kind' | 'teamId' | 'requestId' | 'content'> & {
  dueAt: number | null;
};

export type PostChanges = Partial<
  Omit<OutboxRow, 'id' | 'kind' | 'teamId' | 'requestId' | 'createdAt' | 'version'>
> & {
  /** Result of a search for duplicates. If a newer duplicate was suspected meanwhile, its search time stays. */
  duplicatesChecked?: { suspectedAt: number; nextAt: number | null };
  /** Clears `showAgainAt` after an update that was due at this time. A later time stays. */
  shownAgain?: number;
};

const columns = createColumns(postSchema, owners);

export const newRow = (db: Db, { dueAt, ...post }: NewPost) =>
  ({
    ...columns.write({ ...post, createdAt: Date.now(), state: 'waiting' }, post.id),
    due_at: dueAt === null ? null : afterOwnMs(db, dueAt),
  }) as Insertable<OutboxTable>;

export function changedPost(
  id: string,
  changes: PostChanges,
): UpdateObject<DatabaseSchema, 'outbox'> {
  const { place, duplicatesChecked, shownAgain, ...plain } = changes;
  return {
    ...columns.write(plain, id),
    ...(place !== undefined && { channel_id: place?.channelId ?? null, ts: place?.ts ?? null }),
    ...(duplicatesChecked && {
      check_at: sql<number | null>`case when suspected_at = ${duplicatesChecked.suspectedAt}
        then ${duplicatesChecked.nextAt} else check_at end`,
    }),
    ...(shownAgain && {
      show_again_at: sql<
        number | null
      >`case when show_again_at > ${shownAgain} then show_again_at end`,
    }),
  };
}

export const readPost = (row: Selectable<OutboxTable>): OutboxRow => ({
  ...columns.read(row),
  place:
    row.channel_id === null || row.ts === null ? null : { channelId: row.channel_id, ts: row.ts },
  version: row.version,
});
