import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import type { Encrypted, EncryptedOrNull } from 'base/encryption/secret';
import type { Generated, Kysely } from 'kysely';
import type { answerSchema } from '../requests/answer.ts';
import type { requestCancelSchema } from '../requests/cancel.ts';
import type { requestPublishSchema } from '../requests/publish.ts';
import type { requestSchema } from '../requests/request.ts';
import type { followerStateSchema, runProgressSchema } from '../requests/run-progress.ts';
import type {
  DigestsTable,
  OutboxTable,
  RequestWatchersTable,
  RunFeedbackTable,
  RunLengthsTable,
  SlackWritesTable,
} from './schema-outbox.ts';
import type { AuditEntriesTable, DraftsTable, SettingsTable } from './schema-people.ts';

export type Db = Kysely<DatabaseSchema>;

/**
 * The bot's tables. Columns are only `text`, `integer` and `bigint`, which SQLite and PostgreSQL share: JSON is text, times are
 * epoch milliseconds, booleans are 0 or 1.
 */
export type DatabaseSchema = {
  workspaces: WorkspacesTable;
  installations: InstallationsTable;
  audit_entries: AuditEntriesTable;
  settings: SettingsTable;
  requests: RequestsTable;
  request_watchers: RequestWatchersTable;
  run_feedback: RunFeedbackTable;
  answers: AnswersTable;
  outbox: OutboxTable;
  slack_writes: SlackWritesTable;
  digests: DigestsTable;
  run_lengths: RunLengthsTable;
  drafts: DraftsTable;
  inbox: InboxTable;
  connections: ConnectionsTable;
  deliveries: DeliveriesTable;
  home_views: HomeViewsTable;
  conversations: ConversationsTable;
  conversation_members: ConversationMembersTable;
};

/** The workspaces that everything belongs to. */
type WorkspacesTable = {
  team_id: string;
  /** Null if the workspace is the only one, by its bot token. */
  installation_id: string | null;
  /** 0 while the app isn't installed there. */
  is_active: number;
  /** When the app was removed from it; null while it's installed. */
  removed_at: number | null;
  /** When Slack last delivered something, noted once an hour; null before the first time. */
  delivered_at: number | null;
};

/** Installations by OAuth. See `installations.ts`. */
export type InstallationsTable = {
  /** The organization if the app is installed in a whole one, else the workspace. */
  id: string;
  name: string;
  bot_id: string;
  bot_user_id: string;
  /** Granted, separated by commas. */
  scopes: string;
  installed_by: string;
  is_active: number;
  /** Grows with every change of the token. */
  version: Generated<number>;
  bot_token: Encrypted<'bot_token'>;
  /** Null if the app doesn't rotate tokens. */
  refresh_token: EncryptedOrNull<'refresh_token'>;
  expires_at: number | null;
  /** Until then, a replica refreshes the token. */
  refresh_until: Generated<number>;
};

/** Deliveries from Slack that are worked on later, by their kind and Slack's own ID. */
export type InboxTable = LeasedColumns & {
  id: string;
  /** See where it's registered: `inbox.register('<kind>', …)`. */
  kind: string;
  team_id: string;
  /** Forgotten once it's handled. */
  content_json: Encrypted<'content_json'>;
  received_at: number;
  handled_at: number | null;
  /** Due when this request has come `until` its `run` or its `end`. */
  waits_for_request: string | null;
  waits_until: string | null;
};

type Asked = ColumnsOf<typeof requestSchema, 'config_json'>;
type Progress = ColumnsOf<typeof runProgressSchema, 'run_json'>;
type Following = ColumnsOf<typeof followerStateSchema, 'pending_update_json'>;
type Publish = ColumnsOf<typeof requestPublishSchema, 'publish_wanted_json' | 'publish_problem'>;

/** One row per accepted request: what was asked, what is known of its run, and what people wanted since. */
export type RequestsTable = Omit<Asked, 'connection_id' | 'prompt'> &
  Progress &
  Following &
  ColumnsOf<typeof requestCancelSchema> &
  Publish & {
    connection_id: Generated<string>;
    /** The part of it that says which service it is: its run ids are unique there. */
    service_id: Generated<string>;
    /** The thread with messages for this run. A thread below a run message is found by its post. */
    thread_ts: string | null;
    /** The text that search finds. */
    masked_prompt: string;
    /** Null if nothing in it is masked. */
    prompt: EncryptedOrNull<'prompt'>;
    /** For filters: as the service resolved them, else as requested. */
    environment_id: string | null;
    config_name: string | null;
    /** Null if it's too long to be indexed. */
    session_link: string | null;
    run_state: string | null;
    /** 1 if one of its pull requests is open and not a draft. */
    needs_review: number | null;
    due_at: number | null;
    lease_owner: string | null;
    lease_until: number;
    /** The requested action, for the audit log. */
    publish_action: string | null;
    version: Generated<number>;
    /** Count of rotations of its secrets, which people don't see. */
    rekeyed: Generated<number>;
    /** The `updated_at` of the pending update. */
    pending_update_at: number | null;
  };

/** People's answers to agents: one row per question. */
export type AnswersTable = ColumnsOf<typeof answerSchema, 'given_json' | 'problem'>;

/** One row per person who has opened the Home tab. See `home-views.ts`. */
export type HomeViewsTable = {
  team_id: string;
  user_id: string;
  revision: number;
  cursors_json: string;
  /** The filter and page of the listing. */
  listing_key: string | null;
  listing_json: EncryptedOrNull<'listing_json'>;
  listed_at: number | null;
  /** The view is refreshed until then. */
  active_until: number;
  refresh_at: number;
  /** Fingerprint of the published view. */
  shown: string | null;
};

/** See `conversations.ts`. */
type ConversationsTable = {
  team_id: string;
  id: string;
  /** 1 if Slack says that every member may read it. */
  is_public: number;
  /** Grows with every event, so that an older reading isn't written. */
  version: Generated<number>;
  /** When Slack last said what it is; null while nobody knows. */
  checked_at: number | null;
  due_at: number;
};

/** Members of conversations that aren't public. */
type ConversationMembersTable = {
  team_id: string;
  user_id: string;
  conversation_id: string;
};

/**
 * A connection to a runs service: where it is, with which key, how its runs are watched, and whether its API works. The
 * operator's has neither a workspace nor a key here.
 */
export type ConnectionsTable = LeasedColumns & {
  id: string;
  team_id: string | null;
  /** The person that the key belongs to, if it isn't the workspace's. */
  user_id: string | null;
  /** Null if the key is a person's. */
  name: string | null;
  base_url: string | null;
  /** Null if the connection was removed, or the key disconnected. */
  api_key: EncryptedOrNull<'api_key'>;
  added_at: number | null;
  /** See `following/sweeps/sweep.ts`. */
  mode: string;
  /** When to try the best mode again. */
  mode_until: Generated<number>;
  /** The next sweep asks for changes since then, by the service's clock. */
  watermark: number | null;
  /** The current problem: `{ code, message, since }`. */
  problem_json: string | null;
  /** 1 if the run messages show it. */
  problem_shown: Generated<number>;
  /** When the next followed run is checked, and which one was checked last. */
  check_at: Generated<number>;
  checked_run_id: string | null;
};

/** Slack's deliveries, by their ID. */
type DeliveriesTable = { key: string; seen_at: number };
