import { type Selectable, sql, type UpdateObject } from 'kysely';
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
export type ReplacedPost = PostPlace & { repost: 'here' | 'direct' };

/** Something to post once. Times are epoch milliseconds by our clock, if nothing else is said. */
export type OutboxRow = {
  /** Also its dedupe key. */
  id: string;
  kind: string;
  teamId: string;
  /** Null for a post that belongs to no request. */
  requestId: string | null;
  /** What its kind needs to write it; never the text itself. */
  content: unknown;
  createdAt: number;
  state: PostState;
  place: PostPlace | null;
  /** Fingerprint of what the post shows; null if nobody knows. */
  shown: string | null;
  /** When a try began, by Slack's clock. While the state is waiting, it may have been posted. */
  beganAt: number | null;
  failures: number;
  /** Since when there may be a second post. */
  suspectedAt: number | null;
  /** When to look for duplicates next. */
  checkAt: number | null;
  /** When to update it again, because an earlier update may arrive late. */
  showAgainAt: number | null;
  replaced: ReplacedPost | null;
  /** Of the lease with which this was read. */
  version: number;
};

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

export const newRow = (db: Db, { dueAt, ...post }: NewPost) => ({
  id: post.id,
  kind: post.kind,
  team_id: post.teamId,
  request_id: post.requestId,
  content_json: JSON.stringify(post.content),
  created_at: Date.now(),
  state: 'waiting' satisfies PostState,
  due_at: dueAt === null ? null : afterOwnMs(db, dueAt),
});

export function changedPost(changes: PostChanges): UpdateObject<DatabaseSchema, 'outbox'> {
  const { content, place, replaced, duplicatesChecked, shownAgain, ...plain } = changes;
  return {
    ...Object.fromEntries(Object.entries(plain).map(([key, value]) => [toColumn(key), value])),
    ...(content !== undefined && { content_json: JSON.stringify(content) }),
    ...(place !== undefined && { channel_id: place?.channelId ?? null, ts: place?.ts ?? null }),
    ...(replaced !== undefined && { replaced_json: replaced && JSON.stringify(replaced) }),
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

const toColumn = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const readPost = (row: Selectable<OutboxTable>): OutboxRow => ({
  id: row.id,
  kind: row.kind,
  teamId: row.team_id,
  requestId: row.request_id,
  content: JSON.parse(row.content_json),
  createdAt: row.created_at,
  state: row.state as PostState,
  place:
    row.channel_id === null || row.ts === null ? null : { channelId: row.channel_id, ts: row.ts },
  shown: row.shown,
  beganAt: row.began_at,
  failures: row.failures,
  suspectedAt: row.suspected_at,
  checkAt: row.check_at,
  showAgainAt: row.show_again_at,
  replaced: row.replaced_json === null ? null : (JSON.parse(row.replaced_json) as ReplacedPost),
  version: row.version,
});
