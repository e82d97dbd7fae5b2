import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';
import { z } from 'zod';
import type { Lease } from '../../lib/leased-work.ts';
import { createColumns } from '../columns.ts';
import { afterOwnMs } from '../leases.ts';
import type { RunRequest } from '../requests/request-row.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import type { OutboxTable } from '../schema-outbox.ts';

/** A message in Slack. */
export type PostPlace = { channelId: string; ts: string };

/**
 * waiting: still has to be posted. posted: it is, and is kept up to date. done: nothing is left to post. moved: other posts
 * replaced it because its place was closed, so what it may have posted is a duplicate.
 */
export type PostState = 'waiting' | 'posted' | 'done' | 'moved';

/** The earlier message that a post replaces, and whether the new one goes to the same place or directly to a person. */
const replacedPostSchema = z.object({
  channelId: z.string(),
  ts: z.string(),
  repost: z.enum(['here', 'direct']),
});
export type ReplacedPost = z.infer<typeof replacedPostSchema>;

const time = z.number().nullable();

const postSchema = z.object({
  /** Also its dedupe key. */
  id: z.string(),
  kind: z.string(),
  teamId: z.string(),
  /** Null for a post that belongs to no request. */
  requestId: z.string().nullable(),
  /** What its kind needs to write it; never the text itself. */
  content: z.unknown(),
  createdAt: z.number(),
  state: z.custom<PostState>(),
  /** Fingerprint of what the post shows; null if unknown. */
  shown: z.string().nullable(),
  /** When a try began, by Slack's clock. While the state is waiting, it may have been posted. */
  beganAt: time,
  failures: z.number(),
  /** Since when there may be a second post. */
  suspectedAt: time,
  /** When to look for duplicates next. */
  checkAt: time,
  /** When to update it again, because an earlier update may arrive late. */
  showAgainAt: time,
  replaced: replacedPostSchema.nullable(),
});

/**
 * Something to post once, and where it is. Times are epoch milliseconds by our clock, if nothing else is said. The version
 * is that of the lease with which it was read.
 */
export type OutboxRow = z.infer<typeof postSchema> &
  Pick<Lease, 'version'> & { place: PostPlace | null };

/** A leased post and its request, if it has one. */
export type Post = OutboxRow & { request: RunRequest | null };

/** `dueAt` is null for a post that waits for another one. */
export type NewPost = Pick<OutboxRow, 'id' | 'kind' | 'teamId' | 'requestId' | 'content'> & {
  dueAt: number | null;
};

export type PostChanges = Partial<
  Omit<OutboxRow, 'id' | 'kind' | 'teamId' | 'requestId' | 'createdAt' | 'version'>
> & {
  /** Duplicates were looked for; a suspicion that came up meanwhile stays. */
  duplicatesChecked?: { suspectedAt: number; nextAt: number | null };
  /** It was updated again, as due at this time; a later due time stays. */
  shownAgain?: number;
};

const columns = createColumns(postSchema);

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
