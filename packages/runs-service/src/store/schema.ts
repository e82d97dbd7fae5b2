import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import type { Encrypted, EncryptedOrNull } from 'base/encryption/secret';
import type { Generated, Kysely } from 'kysely';
import { z } from 'zod';
import type { publicationSchema } from './publication.ts';
import type { scheduleSchema } from './schedule.ts';

export type Db = Kysely<DatabaseSchema>;

/**
 * Tables of the runs service. SQLite and PostgreSQL share the column types `text`, `integer` and `bigint`. JSON is
 * text, times are epoch ms, booleans are 0 or 1.
 */
export type DatabaseSchema = {
  service_runs: RunsTable;
  service_run_changes: RunChangesTable;
  service_run_metadata: RunMetadataTable;
  service_run_followups: RunFollowupsTable;
  service_run_questions: RunQuestionsTable;
  service_dispatches: DispatchesTable;
  service_run_attachments: RunAttachmentsTable;
  service_run_progress: RunProgressTable;
  service_artifacts: ArtifactsTable;
  service_conversations: ConversationsTable;
  service_keys: KeysTable;
  service_passes: PassesTable;
  service_queue: QueueTable;
  service_publications: PublicationsTable;
  service_schedules: SchedulesTable;
  service_published_runs: PublishedRunsTable;
  service_model_calls: ModelCallsTable;
  service_spend: SpendTable;
};

/** Row of a run. `updated_at` increases with every change, even if the clock doesn't. */
export type RunsTable = {
  id: string;
  /** Secret part of the session page's URL. */
  session_token: string;
  title: string;
  prompt: Encrypted<'prompt'>;
  /** Title and masked prompt in lower case, because SQLite and PostgreSQL compare letters differently. */
  search_text: string;
  state: string;
  status_json: EncryptedOrNull<'status_json'>;
  config_json: Encrypted<'config_json'>;
  config_name: string | null;
  model_id: string | null;
  environment_id: string;
  skill_spec: string | null;
  creator_json: string;
  creator_uid: string;
  source: string;
  conversation_id: string;
  /** Owner of the API key that created the run, as `<type> <uid>`. The run's creator can be someone else. */
  key_uid: string;
  /** Idempotency key as `<creator uid> <Idempotency-Key>`. `request_hash` is the hash of the first request's body. */
  idempotency_key: string | null;
  request_hash: string;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  cancel_requested: number;
  /**
   * 1 once the agent has all messages and the run is about to end. Later messages are rejected, because they would be
   * lost.
   */
  followups_closed: number;
  /** Total usage that the agent reported. Null if it reported none. */
  usage_json: string | null;
  /** All metadata as JSON. `service_run_metadata` has the same data for list filters. */
  metadata_json: string;
  /**
   * Consecutive number of the run in the order of creation. It's the run's row ID in SQLite's text index. Null on
   * PostgreSQL.
   */
  number: number | null;
  /** Process that executes the run. `lease_until` is the time when its lease ends if it isn't renewed. */
  lease_owner: string | null;
  lease_until: number | null;
  /** Number of restarts after the run's process was lost. */
  restarts: Generated<number>;
  /** Limits that the caller set for the run, as `RunLimits` in JSON. */
  limits_json: string | null;
  /** Schedule that started the run, in the API's format. */
  schedule_json: string | null;
  /** SHA-256 of the token with which the run's agent reaches models. It works only while the run is active. */
  model_token_hash: string | null;
  /** Sentence that says why the run can't spend more and has to end. Null while it can. */
  spend_stopped: string | null;
};

/** Table with one row. Every claim of a queued run writes it first, so that claims wait for each other. */
export type QueueTable = { claims: number };

/**
 * One row per change of a run. The timeline shows these rows, and later pages of a list find a run's earlier position
 * in them.
 */
export type RunChangesTable = {
  run_id: string;
  changed_at: number;
  /** Time of the next change. Null for the newest change. */
  until_at: number | null;
  state: string;
  note: EncryptedOrNull<'note'>;
};

export type RunMetadataTable = { run_id: string; key: string; value: string };

export type RunFollowupsTable = {
  run_id: string;
  /** Number of the message within its run, starting at 1. */
  number: number;
  message: Encrypted<'message'>;
  created_at: number;
  /** Unique within the run. Null for a message without a key. */
  idempotency_key: string | null;
};

/** The newest attempt of a remote run. */
export type DispatchesTable = {
  run_id: string;
  attempt: number;
  /** SHA-256 of the token with which `run-one` proves its identity. */
  token_hash: string;
  /** Token, which a repeated dispatch needs. Null once a `run-one` process has claimed the run. */
  token: EncryptedOrNull<'token'>;
  /** SHA-256 of the token with which the attempt's agent reaches models over the service's address. */
  model_token_hash: string;
  /** Time when the runner accepted the attempt. */
  dispatched_at: number | null;
  /**
   * ID of the only process that can report. Other processes with the same token are rejected, because they came later.
   */
  worker: string | null;
  reported_at: number | null;
  /** Number of the worker's events that were applied so far. */
  events: Generated<number>;
  /** End that the worker reported, as JSON. */
  end_json: EncryptedOrNull<'end_json'>;
};

/** Files that were sent with a run, in small parts. They're deleted when the run ends. */
export type RunAttachmentsTable = {
  run_id: string;
  number: number;
  part_json: Encrypted<'part_json'>;
  stored_at: number;
};

/** Progress (`AgentProgress`) of a run that has started. */
export type RunProgressTable = {
  run_id: string;
  progress_json: Encrypted<'progress_json'>;
  changed_at: number;
};

/** A question that an agent asked people during a run. */
export type RunQuestionsTable = {
  run_id: string;
  question_id: string;
  /** Question as JSON, in the format of the API's type `Question`. */
  question_json: Encrypted<'question_json'>;
  asked_at: number;
  /** Time when the question was closed. Null while the question is open. */
  closed_at: number | null;
  /** Answer as JSON: `{ option_id }`, `{ text }` or `{ values }`. Null if no one answered. */
  answer_json: EncryptedOrNull<'answer_json'>;
  /** Idempotency key of the answer. */
  answer_key: string | null;
  /** Cap that the run has reached, as `SpendRequest` in JSON. Null for agents' own questions. */
  spend_json: Generated<string | null>;
};

/** An agent's memory of a conversation in an environment, for its next run. */
export type ConversationsTable = {
  /** Hash of the conversation's ID and the environment's ID. */
  id: string;
  environment_id: string;
  /** Name of the work folder of the conversation's runs. */
  work_name: string;
  /** ID of the session within the agent program. */
  session_id: string | null;
  file_name: string;
  /** Key that decrypts the file named `file_name`. */
  file_key: Encrypted<'file_key'>;
  saved_at: number;
};

/** API keys of the runs service. Only their hashes are stored. */
export type KeysTable = {
  /** SHA-256 of the key, hexadecimal. */
  key_hash: string;
  /** First characters of the key, so that people can tell keys apart. */
  prefix: string;
  creator_type: string;
  creator_uid: string;
  display_name: string;
  /** Role of the key, a `KeyRole` of the runs service. */
  role: string;
  created_at: number;
  revoked_at: number | null;
};

/** Browsers that are signed in to the session pages. Only the hashes of their passes are stored. */
export type PassesTable = {
  pass_hash: string;
  /** Hash of the API key with which the browser signed in. Null for a person in Slack. */
  key_hash: string | null;
  slack_team_id: string | null;
  slack_user_id: string | null;
  expires_at: number;
};

/**
 * Publication of a conversation's changes: one branch and one pull request. The row is leased like all background work.
 * Work is due while `done` is less than `asked`, or an action is requested.
 */
export type PublicationsTable = Omit<
  ColumnsOf<typeof publicationSchema, 'wanted_json' | 'problem' | 'remark'>,
  keyof LeasedColumns
> &
  LeasedColumns;

/** Schedules that start runs. A row is due at `next_at`, and leased like all background work. */
export type SchedulesTable = Omit<
  ColumnsOf<typeof scheduleSchema, 'request_json'>,
  keyof LeasedColumns
> &
  LeasedColumns;

const artifactFileSchema = z.object({
  /** Name of the file's content in the artifact storage. `key` decrypts the content. */
  contentName: z.string(),
  key: z.string(),
  bytes: z.number(),
  contentType: z.string(),
  /** Path inside the folder of the run's files. */
  path: z.string(),
});

/** Files and texts that a run made, for readers of the API. Pull requests are stored as publications instead. */
export const artifactSchema = z.object({
  uid: z.string(),
  runId: z.string(),
  number: z.number(),
  artifactType: z.enum(['FILE', 'SCREENSHOT', 'PLAN', 'EXTERNAL_REFERENCE']),
  data: z.object({
    file: artifactFileSchema.optional(),
    /** Plan as a Markdown task list. */
    text: z.string().optional(),
    /** Link to an external reference. */
    link: z.object({ url: z.string(), title: z.string() }).optional(),
  }),
  createdAt: z.number(),
});
export type ArtifactsTable = ColumnsOf<typeof artifactSchema, 'data_json'>;

/** Assigns a run to its publication. `asked` is the number of the run's publish request. */
export type PublishedRunsTable = { run_id: string; publication_id: string; asked: number };

/** A call of a model through the gateway. Amounts are in millionths of a US dollar. It contains no text of the call. */
export type ModelCallsTable = {
  id: string;
  run_id: string;
  environment_id: string;
  /** Workspace, person and channel that the caller of the API named, else the creator of the run. */
  workspace: string | null;
  person: string;
  channel: string | null;
  provider: string;
  api: string;
  /** Model that the agent requested, and the model that the provider reported. */
  model: string;
  served_model: string | null;
  started_at: number;
  first_byte_at: number | null;
  /** Null while the call is in progress. */
  ended_at: number | null;
  /** HTTP status that the agent got. */
  status: number | null;
  /** `CallOutcome` of the model gateway. Null while the call is in progress. */
  outcome: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  /** Amount that counts as reserved until the call ends. */
  reserved_micros: number;
  /** Price of the call. Null while the call is in progress. */
  price_micros: number | null;
  /** Entry of the price list that matched. */
  price_entry: string | null;
  /** 1 if the price is an estimate, because the provider's report is missing or incomplete. */
  estimated: Generated<number>;
  request_bytes: Generated<number>;
  response_bytes: Generated<number>;
  /** ID that the provider gave the call, for its support. */
  upstream_id: string | null;
  /** Keys of all counters that the call belongs to, as a JSON array. */
  spend_keys_json: string;
  /** Process that makes the call. After the lease, the reservation counts as spent. */
  lease_owner: string | null;
  lease_until: number | null;
};

/**
 * Counter of a key, such as `person:T1/U1`, in a period. It counts the calls with this key that started in the period.
 * Amounts are in millionths of a US dollar.
 */
export type SpendTable = {
  key: string;
  /** Name of the period, such as `month 2026-11-01 Europe/Berlin`, or `run`. */
  period: string;
  /** Times of the period's first moment and of its end, which is the start of the next period. */
  starts_at: number;
  ends_at: number;
  spent: number;
  reserved: number;
  /** Amount that people have allowed in addition to the caps of the environments file. */
  allowed: number;
  /** Amount that callers of the API have allowed in addition to the caps that they set themselves. */
  caller_allowed: Generated<number>;
};
