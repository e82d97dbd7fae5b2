import type { Generated } from 'kysely';

/** See `notices.ts`. */
export type NoticesTable = {
  request_id: string;
  key: string;
  kind: string;
  user_id: string | null;
  names_json: string;
  to_channel: number;
  due_at: number;
  began_at: number | null;
  done_at: number | null;
  moved_at: number | null;
};

/** One row per channel that wants a daily digest. See `digests.ts`. */
export type DigestsTable = {
  id: string;
  team_id: string;
  channel_id: string;
  hour: number;
  time_zone: string;
  since_at: number;
  next_at: number;
  began_at: number | null;
  lease_until: number;
  version: Generated<number>;
};

/** How long each run waited and worked. See `run-lengths.ts`. */
export type RunLengthsTable = {
  request_id: string;
  environment: string;
  waited_ms: number | null;
  worked_ms: number | null;
  ended_at: number;
};
