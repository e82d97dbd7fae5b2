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
  service_runs: ServiceRunsTable;
  service_run_changes: ServiceRunChangesTable;
  service_run_metadata: ServiceRunMetadataTable;
  service_run_followups: ServiceRunFollowupsTable;
  service_run_questions: ServiceRunQuestionsTable;
  service_dispatches: ServiceDispatchesTable;
  service_run_attachments: ServiceRunAttachmentsTable;
  service_run_progress: ServiceRunProgressTable;
  service_artifacts: ServiceArtifactsTable;
  service_conversations: ServiceConversationsTable;
  service_keys: ServiceKeysTable;
  service_passes: ServicePassesTable;
  service_queue: ServiceQueueTable;
  service_publications: ServicePublicationsTable;
  service_published_runs: ServicePublishedRunsTable;
};

/** A run of the embedded runs service. `updated_at` grows with every change, even if the clock doesn't. */
export type ServiceRunsTable = {
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
  /** 1 once the agent got all messages and the run is about to end, so that a later one isn't lost. */
  followups_closed: number;
  /** The usage that the agent reported, summed up; null if it reported none. */
  usage_json: string | null;
  /** All metadata; `service_run_metadata` is for lists. */
  metadata_json: string;
  /** Consecutive, in the order of creation: the row id in SQLite's text index. Null on PostgreSQL. */
  number: number | null;
  /** Which service process executes the run, and until when without a renewal. */
  lease_owner: string | null;
  lease_until: number | null;
  /** How often the run was restarted because its process was gone. */
  restarts: Generated<number>;
};

/** A single row that every claim writes first, so that claims wait for each other. */
export type ServiceQueueTable = { claims: number };

/** One row per change of a run: its timeline, and what lists looked like at an earlier time. */
export type ServiceRunChangesTable = {
  run_id: string;
  changed_at: number;
  /** When the next change came; null for the newest. */
  until_at: number | null;
  state: string;
  note: EncryptedOrNull<'note'>;
};

export type ServiceRunMetadataTable = { run_id: string; key: string; value: string };

export type ServiceRunFollowupsTable = {
  run_id: string;
  /** Counts from 1. */
  number: number;
  message: Encrypted<'message'>;
  created_at: number;
  /** Unique in its run; null for a message without one. */
  idempotency_key: string | null;
};

/** A run that executes elsewhere: its newest attempt. */
export type ServiceDispatchesTable = {
  run_id: string;
  attempt: number;
  /** SHA-256 of what `run-one` proves itself with. */
  token_hash: string;
  /** For a dispatch that is repeated; null once `run-one` has fetched its work. */
  token: EncryptedOrNull<'token'>;
  /** When its engine accepted it. */
  dispatched_at: number | null;
  /** The only process that may report. Others with the same token came second. */
  worker: string | null;
  reported_at: number | null;
  /** How many events of the worker are in the timeline. */
  events: Generated<number>;
  /** What the worker reported as the end. */
  end_json: EncryptedOrNull<'end_json'>;
};

/** The files that came with a run, until it has ended: in small parts. */
export type ServiceRunAttachmentsTable = {
  run_id: string;
  number: number;
  part_json: Encrypted<'part_json'>;
  stored_at: number;
};

/** `AgentProgress` of a run that has started. */
export type ServiceRunProgressTable = {
  run_id: string;
  progress_json: Encrypted<'progress_json'>;
  changed_at: number;
};

/** What an agent asked people during a run. */
export type ServiceRunQuestionsTable = {
  run_id: string;
  question_id: string;
  /** `Question` of the API. */
  question_json: Encrypted<'question_json'>;
  asked_at: number;
  /** Null while it's open. */
  closed_at: number | null;
  /** `{ option_id }` or `{ text }`; null if no one answered. */
  answer_json: EncryptedOrNull<'answer_json'>;
  /** The Idempotency-Key that came with the answer. */
  answer_key: string | null;
};

/** What is kept of a conversation in an environment, for its next run. */
export type ServiceConversationsTable = {
  /** A hash of both ids. */
  id: string;
  environment_id: string;
  /** The work folder of its runs. */
  work_name: string;
  /** The agent's own session. */
  session_id: string | null;
  file_name: string;
  /** Decrypts the file. */
  file_key: Encrypted<'file_key'>;
  saved_at: number;
};

/** API keys of the runs service; only their hashes are stored. */
export type ServiceKeysTable = {
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

/** Browsers that are signed in to the pages; only hashes of their passes are stored. */
export type ServicePassesTable = {
  pass_hash: string;
  /** Either this, or the person of Slack. */
  key_hash: string | null;
  slack_team_id: string | null;
  slack_user_id: string | null;
  expires_at: number;
};

/**
 * How the changes of a conversation are published: one branch and one pull request. The row is leased like all background work.
 * It's waiting while `done` is less than `asked`, or an action is to be done.
 */
export type ServicePublicationsTable = Omit<
  ColumnsOf<typeof publicationSchema, 'wanted_json' | 'problem' | 'remark'>,
  keyof LeasedColumns
> &
  LeasedColumns;

const artifactFileSchema = z.object({
  /** Where its content is stored, and the key that decrypts it. */
  contentName: z.string(),
  key: z.string(),
  bytes: z.number(),
  contentType: z.string(),
  /** Below the folder of its run's files. */
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
export type ServiceArtifactsTable = ColumnsOf<typeof artifactSchema, 'data_json'>;

/** The runs of a publication, each with the number of its request. */
export type ServicePublishedRunsTable = { run_id: string; publication_id: string; asked: number };
