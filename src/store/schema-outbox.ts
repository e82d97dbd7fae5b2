import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import { z } from 'zod';

/**
 * waiting: still has to be posted. posted: it is, and is kept up to date. done: nothing is left to post. moved: other posts
 * replaced it because its place was closed, so what it may have posted is a duplicate.
 */
type PostState = 'waiting' | 'posted' | 'done' | 'moved';

/** The earlier message that a post replaces, and whether the new one goes to the same place or directly to a person. */
const replacedPostSchema = z.object({
  channelId: z.string(),
  ts: z.string(),
  repost: z.enum(['here', 'direct']),
});
export type ReplacedPost = z.infer<typeof replacedPostSchema>;

const time = z.number().nullable();

export const postSchema = z.object({
  /** Also its dedupe key. */
  id: z.string(),
  kind: z.string(),
  teamId: z.string(),
  /** Null for a post that belongs to no request. */
  requestId: z.string().nullable(),
  /** Data from which its kind writes it; never the text itself. */
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

/** Everything that is posted to Slack. See `outbox/outbox-row.ts`. */
export type OutboxTable = LeasedColumns &
  Omit<ColumnsOf<typeof postSchema, 'content_json'>, keyof LeasedColumns> & {
    channel_id: string | null;
    ts: string | null;
  };

/** When Slack accepts as many writes of a kind at once as it ever does. See `slack-writes.ts`. */
export type SlackWritesTable = {
  team_id: string;
  kind: string;
  whole_at: number;
};

/** One row per channel that wants a daily digest. Times are epoch milliseconds. See `digests.ts`. */
export const digestSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  channelId: z.string(),
  /** The full hour in this time zone at which the channel gets it. */
  hour: z.number(),
  timeZone: z.string(),
  /** The digest covers what happened since then. */
  sinceAt: z.number(),
  /** When it was due; identifies this digest. */
  nextAt: z.number(),
});
export type DigestsTable = ColumnsOf<typeof digestSchema>;

/** Times that each run waited and worked. See `run-lengths.ts`. */
export const lengthSchema = z.object({
  requestId: z.string(),
  /** The requested environment; empty for the default of the runs service. */
  environment: z.string(),
  waitedMs: z.number().nullable(),
  workedMs: z.number().nullable(),
  endedAt: z.number(),
});
export type RunLengthsTable = ColumnsOf<typeof lengthSchema>;

/** People and their wish to be notified of a request's end: `wants` is 1 or 0. */
export type RequestWatchersTable = {
  request_id: string;
  user_id: string;
  /** The request's workspace. */
  team_id: string | null;
  wants: number;
  changed_at: number;
};

/** One rating of a result per person. */
export type RunFeedbackTable = {
  request_id: string;
  user_id: string;
  team_id: string;
  is_good: number;
  /** By Slack's clock. */
  given_at: number;
};
