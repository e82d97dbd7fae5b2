import type { LeasedColumns } from './column-types.ts';
import type { Encrypted } from './encryption/secret.ts';

/** Everything that is posted to Slack. See `outbox/outbox-row.ts`. */
export type OutboxTable = LeasedColumns & {
  id: string;
  kind: string;
  team_id: string;
  request_id: string | null;
  content_json: Encrypted<'content_json'>;
  created_at: number;
  state: string;
  channel_id: string | null;
  ts: string | null;
  shown: string | null;
  began_at: number | null;
  suspected_at: number | null;
  check_at: number | null;
  show_again_at: number | null;
  replaced_json: string | null;
};

/** One row per channel that wants a daily digest. See `digests.ts`. */
export type DigestsTable = {
  id: string;
  team_id: string;
  channel_id: string;
  hour: number;
  time_zone: string;
  /** The next digest covers what happened since then. */
  since_at: number;
  next_at: number;
};

/** How long each run waited and worked. See `run-lengths.ts`. */
export type RunLengthsTable = {
  request_id: string;
  environment: string;
  waited_ms: number | null;
  worked_ms: number | null;
  ended_at: number;
};

/** Who wants to be notified of a request's end: `wants` is 1 or 0. */
export type RequestWatchersTable = {
  request_id: string;
  user_id: string;
  /** That of the request. */
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
