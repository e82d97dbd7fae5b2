import type { Generated, Kysely } from 'kysely';
import type { DigestsTable, NoticesTable, RunLengthsTable } from './schema-telling.ts';

export type Db = Kysely<DatabaseSchema>;

/**
 * Tables as types. Columns are only `text`, `integer` and `bigint`, so that one schema serves SQLite and PostgreSQL:
 * JSON is text, times are epoch milliseconds, booleans are 0 or 1.
 */
export type DatabaseSchema = {
  settings: SettingsTable;
  requests: RequestsTable;
  request_watchers: RequestWatchersTable;
  notices: NoticesTable;
  digests: DigestsTable;
  run_lengths: RunLengthsTable;
  drafts: DraftsTable;
  mentions: MentionsTable;
  workflow_waits: WorkflowWaitsTable;
  connections: ConnectionsTable;
  deliveries: DeliveriesTable;
  home_views: HomeViewsTable;
  run_creators: RunCreatorsTable;
  service_runs: ServiceRunsTable;
  service_run_changes: ServiceRunChangesTable;
  service_run_metadata: ServiceRunMetadataTable;
  service_run_followups: ServiceRunFollowupsTable;
  service_keys: ServiceKeysTable;
  service_queue: ServiceQueueTable;
};

/** One value for one owner: `scope` is `person`, `channel` or `workspace`, `scope_id` the Slack id. */
export type SettingsTable = {
  team_id: string;
  scope: string;
  scope_id: string;
  key: string;
  value_json: string;
  updated_at: number;
};

/** Mentions of the app by Slack's event id; `due_at` is null once handled. */
export type MentionsTable = {
  id: string;
  mention_json: string;
  received_at: number;
  due_at: number | null;
};

/** Steps of workflows that wait for the request of this id. */
export type WorkflowWaitsTable = {
  execution_id: string;
  request_id: string;
  created_at: number;
  /** `end` or `beginning` of the run. */
  waits_for: string;
};

/** What goes with an open form; gone after an hour. */
export type DraftsTable = {
  id: string;
  value_json: string;
  created_at: number;
  /** 1 when *More options* was pressed. */
  is_whole: Generated<number>;
};

/** One row per accepted request, from the moment it was accepted until its message shows the end. */
export type RequestsTable = {
  /** Ours; derived from Slack's own delivery, so that a repeated delivery is the same request. */
  id: string;
  team_id: string;
  /** The Slack user who asked. */
  creator_id: string;
  channel_id: string;
  /** Where the run message is; may differ from `channel_id` when the app may not post there. */
  message_channel_id: string | null;
  message_ts: string | null;
  prompt: string;
  title: string;
  config_json: string;
  /** As the service resolved them, else as they were asked for: what lists are filtered by. */
  environment_id: string | null;
  config_name: string | null;
  /** Of the run, where it can be looked up; see `session-links.ts`. */
  session_link: string | null;
  /** Where it came from and how it was put together, if that is known. */
  origin_json: string | null;
  /** See `request-steps.ts`. */
  step: string;
  /** When posting began: set and no `message_ts` means that the post may or may not have happened. */
  post_began_at: number | null;
  /** When creating began, likewise for `run_id`. */
  create_began_at: number | null;
  /** The same moment by the runs service's clock. */
  create_began_service_at: number | null;
  run_id: string | null;
  run_state: string | null;
  /** The newest known run, as the API gave it. */
  run_json: string | null;
  /** What stands in the way now: `{ code, message, since }`. */
  problem_json: string | null;
  /** Failures in a row; 0 after a success. */
  failures: number;
  /** Fingerprint of what the run message shows. */
  shown: string | null;
  /** When there is something to do next; null when there is nothing. */
  due_at: number | null;
  lease_owner: string | null;
  lease_until: number;
  accepted_at: number;
  ended_at: number | null;
  /** When someone last asked to cancel the run, and who. The follower calls the service. */
  cancel_asked_at: number | null;
  cancel_asked_by: string | null;
  /** When the follower tries the cancel again. */
  cancel_retry_at: number | null;
  /** See `CancelOutcome`; null while nobody has asked, and until the service has answered. */
  cancel_outcome: string | null;
  /** Since when nobody wants the message kept true; null while it is. */
  unfollowed_at: number | null;
  /** What was usual in its environment when it was created: `{ waitMs, workMs }`. */
  usual_json: string | null;
  /** When the creator was told that the run waits for them, or takes far longer than usual. */
  nudged_at: number | null;
  pointer_asked_at: number | null;
  pointer_asked_by: string | null;
  pointed_at: number | null;
  /** When there was nothing more to tell of the end; null again when *Try again* is pressed. */
  replied_at: number | null;
  /** Grows with every lease: whoever holds an older one can write no more. */
  version: Generated<number>;
  /** A run that a sweep has seen and nobody has taken over yet, and its `updated_at`. */
  news_json: string | null;
  news_at: number | null;
  /** When the run is looked at by itself, because no sweep has told of it. */
  look_at: number | null;
  /** Since when a second message or reply may stand beside the one that is known. */
  doubted_at: number | null;
  /** When to look for such a double next; null when none can come any more. */
  doubles_look_at: number | null;
  /** When to write the message once more, because an old update may come late and put itself over it. */
  show_again_at: number | null;
  /** A message is still to be posted: the `first`, or, when it can't be changed, another `here` or `direct`ly to the creator. */
  post_anew: string | null;
  /** The message that can be changed no more, as long as it may still stand. */
  lost_channel_id: string | null;
  lost_message_ts: string | null;
  /** When somebody wanted a run followed again that had been quiet for too long, or was no longer known. */
  followed_since: number | null;
  /** Since when the service does not know the run; of one that has ended: it was given up for that. */
  missing_since: number | null;
};

/** One row per person who has opened the Home tab. See `home-views.ts`. */
export type HomeViewsTable = {
  team_id: string;
  user_id: string;
  revision: number;
  cursors_json: string;
  /** Which filter and page the listing answers. */
  listing_key: string | null;
  listing_json: string | null;
  listed_at: number | null;
  /** Until when the person is taken to look at it. */
  active_until: number;
  refresh_at: number;
  /** Fingerprint of the view as last published. */
  shown: string | null;
};

/** Who was seen to start runs outside of Slack. See `run-creators.ts`. */
export type RunCreatorsTable = { team_id: string; value: string; name: string; seen_at: number };

/** What somebody said about being told of a request's end: `wants` is 1 or 0. */
export type RequestWatchersTable = {
  request_id: string;
  user_id: string;
  wants: number;
  changed_at: number;
};

/** How the runs of one connection are watched, and how its API is doing. */
export type ConnectionsTable = {
  id: string;
  version: Generated<number>;
  /** See `following/sweep.ts`. */
  mode: string;
  /** When another mode than the best is given up, to try the best again. */
  mode_until: Generated<number>;
  /** From where on the next sweep asks for changes, by the service's clock. */
  watermark: number | null;
  next_sweep_at: number | null;
  failures: Generated<number>;
  /** What stands in the way now: `{ code, message, since }`. */
  problem_json: string | null;
  /** 1 when the run messages say so. */
  told: Generated<number>;
  /** When the next of the followed runs is checked, and which was the last. */
  check_at: Generated<number>;
  checked_run_id: string | null;
  lease_owner: string | null;
  lease_until: Generated<number>;
};

/** What Slack has delivered already, by its own id. */
export type DeliveriesTable = { key: string; seen_at: number };

/** A run of the embedded runs service. `updated_at` grows with every change, also when the clock stands or goes back. */
export type ServiceRunsTable = {
  id: string;
  /** The unguessable part of the session page's address. */
  session_token: string;
  title: string;
  prompt: string;
  /** Title and prompt in lower case: the two databases do not agree on how to compare letters. */
  search_text: string;
  state: string;
  status_json: string | null;
  config_json: string;
  config_name: string | null;
  model_id: string | null;
  environment_id: string;
  skill_spec: string | null;
  creator_json: string;
  creator_uid: string;
  source: string;
  conversation_id: string;
  /** `<creator uid> <Idempotency-Key>`, and the hash of the body that came with it. */
  idempotency_key: string | null;
  request_hash: string;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  cancel_requested: number;
  /** 1 once the agent has got all messages and the run is about to end: a later one would be lost. */
  followups_closed: number;
  /** What the agent said it used, summed up; null when it said nothing. */
  usage_json: string | null;
  /** All of it; the pairs in `service_run_metadata` are for lists. */
  metadata_json: string;
  /** Consecutive, in the order of creation: the row id in SQLite's index of texts. Null on PostgreSQL. */
  number: number | null;
  /** Which service process executes the run, and until when that is believed without a sign of life. */
  lease_owner: string | null;
  lease_until: number | null;
  /** How often the run was begun anew because the process that executed it was gone. */
  restarts: Generated<number>;
};

/** A single row, written first by every claim: claims of all services wait for one another at it. */
export type ServiceQueueTable = { claims: number };

/** One row per change of a run: its timeline, and what a list looked like at an earlier moment. */
export type ServiceRunChangesTable = {
  run_id: string;
  changed_at: number;
  /** When the next change came; null on the newest. */
  until_at: number | null;
  state: string;
  note: string | null;
};

export type ServiceRunMetadataTable = { run_id: string; key: string; value: string };

/** `taken_at` is null until the agent has been given the message. */
export type ServiceRunFollowupsTable = {
  run_id: string;
  number: number;
  message: string;
  created_at: number;
  taken_at: number | null;
  /** Unique in its run; null for a message that came without one. */
  idempotency_key: string | null;
};

/** API keys of the runs service that were made at its command line; only their hashes are kept. */
export type ServiceKeysTable = {
  /** SHA-256 of the key, hexadecimal. */
  key_hash: string;
  /** The first characters of the key, for people to tell keys apart. */
  prefix: string;
  creator_type: string;
  creator_uid: string;
  display_name: string;
  created_at: number;
  revoked_at: number | null;
};
