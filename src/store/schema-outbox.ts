import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import { z } from 'zod';

/**
 * State of a post. waiting: not posted yet. posted: in Slack, and updated. done: nothing is left to do. moved: replaced
 * by other posts because Slack rejected it in its channel, so a copy of it is a duplicate.
 */
type PostState = 'waiting' | 'posted' | 'done' | 'moved';

/** Earlier message that a post replaces. The new one goes to the same channel (`here`) or directly to a person. */
const replacedPostSchema = z.object({
  channelId: z.string(),
  ts: z.string(),
  repost: z.enum(['here', 'direct']),
});
export type ReplacedPost = z.infer<typeof replacedPostSchema>;

const time = z.number().nullable();

export const postSchema = z.object({
  /** ID of the post, which is also its dedupe key. */
  id: z.string(),
  kind: z.string(),
  teamId: z.string(),
  /** ID of its request. Null for a post without one. */
  requestId: z.string().nullable(),
  /** Data for writing the text; never the text itself. */
  content: z.unknown(),
  createdAt: z.number(),
  state: z.custom<PostState>(),
  /** Fingerprint of the shown content. Null if unknown. */
  shown: z.string().nullable(),
  /** Start of a try to post, by Slack's clock. While the state is `waiting`, the post may already be in Slack. */
  beganAt: time,
  failures: z.number(),
  /** Time when a duplicate of the post was suspected. */
  suspectedAt: time,
  /** Time of the next search for duplicates. */
  checkAt: time,
  /** Time of an extra update, in case an earlier update arrives late and overwrites a newer one. */
  showAgainAt: time,
  replaced: replacedPostSchema.nullable(),
});

/** Table of everything that is posted to Slack. See `outbox/outbox-row.ts`. */
export type OutboxTable = LeasedColumns &
  Omit<ColumnsOf<typeof postSchema, 'content_json'>, keyof LeasedColumns> & {
    channel_id: string | null;
    ts: string | null;
  };

/** Time when Slack's full limit is available again, for each kind of write. See `slack-writes.ts`. */
export type SlackWritesTable = {
  team_id: string;
  kind: string;
  whole_at: number;
};

/** One row per channel with a daily digest. Times are epoch ms. See `digests.ts`. */
export const digestSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  channelId: z.string(),
  /** Hour of the day when the digest is due, in `timeZone`. */
  hour: z.number(),
  timeZone: z.string(),
  /** Start of the period that the digest covers. */
  sinceAt: z.number(),
  /** Due time of the digest, which also identifies it. */
  nextAt: z.number(),
});
export type DigestsTable = ColumnsOf<typeof digestSchema>;

/** Waiting and working times of each run. See `run-lengths.ts`. */
export const lengthSchema = z.object({
  requestId: z.string(),
  /** Requested environment. Empty for the default of the runs service. */
  environment: z.string(),
  waitedMs: z.number().nullable(),
  workedMs: z.number().nullable(),
  endedAt: z.number(),
});
export type RunLengthsTable = ColumnsOf<typeof lengthSchema>;

/** People's choices about a notification for the end of a request, one per person. `wants` is 1 or 0. */
export type RequestWatchersTable = {
  request_id: string;
  user_id: string;
  /** Workspace of the request, or null. */
  team_id: string | null;
  wants: number;
  changed_at: number;
};

/** Ratings of results, one per person and run. */
export type RunFeedbackTable = {
  request_id: string;
  user_id: string;
  team_id: string;
  is_good: number;
  /** Time of the click by Slack's clock. */
  given_at: number;
};
