/**
 * Tables as types. Columns are only `text`, `integer` and `bigint`, so that one schema serves SQLite and PostgreSQL:
 * JSON is text, times are epoch milliseconds, booleans are 0 or 1.
 */
export type DatabaseSchema = {
  settings: SettingsTable;
  service_runs: ServiceRunsTable;
  service_run_changes: ServiceRunChangesTable;
  service_run_metadata: ServiceRunMetadataTable;
  service_run_followups: ServiceRunFollowupsTable;
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
  /** Which service process executes the run, and until when that is believed without a sign of life. */
  lease_owner: string | null;
  lease_until: number | null;
};

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
};
