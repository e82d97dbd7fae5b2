import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import type { Encrypted, EncryptedOrNull } from 'base/encryption/secret';
import type { Generated, Kysely } from 'kysely';
import { z } from 'zod';
import type { publicationSchema } from './publication.ts';

export type Db = Kysely<DatabaseSchema>;

/**
 * The service's tables. Columns are only `text`, `integer` and `bigint`, which SQLite and PostgreSQL share: JSON is text,
 * times are epoch milliseconds, booleans are 0 or 1.
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
  service_published_runs: PublishedRunsTable;
};

/** A run. `updated_at` grows with every change, even if the clock doesn't. */
export type RunsTable = {
  id: string;
  /** The unguessable part of the session page's address. */
  session_token: string;
  title: string;
  prompt: Encrypted<'prompt'>;
  /** Title and masked prompt in lower case, because the two databases compare letters differently. */
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
  /** The owner of the key that created it. The creator can be someone else. */
  key_uid: string;
  /** `<creator uid> <Idempotency-Key>`, and the hash of the body that came with it. */
  idempotency_key: string | null;
  request_hash: string;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  cancel_requested: number;
  /** 1 once the agent has all messages and the run is about to end, so that a later message isn't lost. */
  followups_closed: number;
  /** Total usage that the agent reported. Null if it reported none. */
  usage_json: string | null;
  /** All metadata. `service_run_metadata` is for lists. */
  metadata_json: string;
  /** Consecutive, in the order of creation: the row id in SQLite's text index. Null on PostgreSQL. */
  number: number | null;
  /** Process that executes the run, and the end of its lease without a renewal. */
  lease_owner: string | null;
  lease_until: number | null;
  /** Times that the run was restarted because its process was gone. */
  restarts: Generated<number>;
};

/** A single row that every claim writes first, so that claims wait for each other. */
export type QueueTable = { claims: number };

/** One row per change of a run: its timeline, and its state in lists at an earlier time. */
export type RunChangesTable = {
  run_id: string;
  changed_at: number;
  /** Time of the next change. Null for the newest. */
  until_at: number | null;
  state: string;
  note: EncryptedOrNull<'note'>;
};

export type RunMetadataTable = { run_id: string; key: string; value: string };

export type RunFollowupsTable = {
  run_id: string;
  /** Counts from 1. */
  number: number;
  message: Encrypted<'message'>;
  created_at: number;
  /** Unique in its run. Null for a message without a key. */
  idempotency_key: string | null;
};

/** The newest attempt of a remote run. */
export type DispatchesTable = {
  run_id: string;
  attempt: number;
  /** SHA-256 of the token with which `run-one` proves its identity. */
  token_hash: string;
  /** Token for a dispatch that is repeated. Null once `run-one` has fetched its work. */
  token: EncryptedOrNull<'token'>;
  /** Time when its runner accepted it. */
  dispatched_at: number | null;
  /** The only process that can report. Others with the same token came second. */
  worker: string | null;
  reported_at: number | null;
  /** Number of the worker's events in the timeline. */
  events: Generated<number>;
  /** End that the worker reported. */
  end_json: EncryptedOrNull<'end_json'>;
};

/** Files that came with a run, in small parts. They're deleted when the run ends. */
export type RunAttachmentsTable = {
  run_id: string;
  number: number;
  part_json: Encrypted<'part_json'>;
  stored_at: number;
};

/** `AgentProgress` of a run that has started. */
export type RunProgressTable = {
  run_id: string;
  progress_json: Encrypted<'progress_json'>;
  changed_at: number;
};

/** A question that an agent asked people during a run. */
export type RunQuestionsTable = {
  run_id: string;
  question_id: string;
  /** `Question` of the API. */
  question_json: Encrypted<'question_json'>;
  asked_at: number;
  /** Null while it's open. */
  closed_at: number | null;
  /** `{ option_id }`, `{ text }` or `{ values }`. Null if no one answered. */
  answer_json: EncryptedOrNull<'answer_json'>;
  /** The Idempotency-Key that came with the answer. */
  answer_key: string | null;
};

/** The memory of a conversation in an environment, for its next run. */
export type ConversationsTable = {
  /** A hash of both ids. */
  id: string;
  environment_id: string;
  /** Name of the work folder of its runs. */
  work_name: string;
  /** ID of the agent's own session. */
  session_id: string | null;
  file_name: string;
  /** Key that decrypts the file. */
  file_key: Encrypted<'file_key'>;
  saved_at: number;
};

/** API keys of the runs service. Only their hashes are stored. */
export type KeysTable = {
  /** SHA-256 of the key, hexadecimal. */
  key_hash: string;
  /** The first characters of the key, so that people can tell keys apart. */
  prefix: string;
  creator_type: string;
  creator_uid: string;
  display_name: string;
  /** See `KeyRole` of the runs service. */
  role: string;
  created_at: number;
  revoked_at: number | null;
};

/** Browsers that are signed in to the pages. Only hashes of their passes are stored. */
export type PassesTable = {
  pass_hash: string;
  /** Hash of the API key, unless the browser belongs to a person of Slack. */
  key_hash: string | null;
  slack_team_id: string | null;
  slack_user_id: string | null;
  expires_at: number;
};

/**
 * The publication of a conversation's changes: one branch and one pull request. The row is leased like all background
 * work. It waits while `done` is less than `asked`, or an action is requested.
 */
export type PublicationsTable = Omit<
  ColumnsOf<typeof publicationSchema, 'wanted_json' | 'problem' | 'remark'>,
  keyof LeasedColumns
> &
  LeasedColumns;

const artifactFileSchema = z.object({
  /** Name of its content in the store, and the key that decrypts it. */
  contentName: z.string(),
  key: z.string(),
  bytes: z.number(),
  contentType: z.string(),
  /** Path below the folder of its run's files. */
  path: z.string(),
});

/** Files and texts that a run left, for readers of the API. Pull requests are publications. */
export const artifactSchema = z.object({
  uid: z.string(),
  runId: z.string(),
  number: z.number(),
  artifactType: z.enum(['FILE', 'SCREENSHOT', 'PLAN', 'EXTERNAL_REFERENCE']),
  data: z.object({
    file: artifactFileSchema.optional(),
    /** Markdown of a plan. */
    text: z.string().optional(),
    /** An external reference. */
    link: z.object({ url: z.string(), title: z.string() }).optional(),
  }),
  createdAt: z.number(),
});
export type ArtifactsTable = ColumnsOf<typeof artifactSchema, 'data_json'>;

/** The runs of a publication, each with the number of its request. */
export type PublishedRunsTable = { run_id: string; publication_id: string; asked: number };
