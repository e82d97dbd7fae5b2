import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import type { Encrypted, EncryptedOrNull } from 'base/encryption/secret';
import type { Generated, Kysely } from 'kysely';
import type { answerSchema } from '../requests/answer.ts';
import type { requestCancelSchema } from '../requests/cancel.ts';
import type { requestPublishSchema } from '../requests/publish.ts';
import type { requestSchema } from '../requests/request.ts';
import type { followerStateSchema, runProgressSchema } from '../requests/run-progress.ts';
import type { AutomationFiringsTable, AutomationsTable } from './schema-automations.ts';
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
 * The bot's tables. Columns are only `text`, `integer` and `bigint`, which SQLite and PostgreSQL share. JSON is stored
 * as text, times as epoch milliseconds, and booleans as 0 or 1.
 */
export type DatabaseSchema = {
  workspaces: WorkspacesTable;
  installations: InstallationsTable;
  audit_entries: AuditEntriesTable;
  settings: SettingsTable;
  requests: RequestsTable;
  automations: AutomationsTable;
  automation_firings: AutomationFiringsTable;
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

/** Workspaces, to which all other data belongs. */
type WorkspacesTable = {
  team_id: string;
  /** Installation that the workspace uses. Null if a bot token in the configuration is for this workspace only. */
  installation_id: string | null;
  /** 0 while the workspace doesn't have the app. */
  is_active: number;
  /** Time when the app was removed. Null while it's installed. */
  removed_at: number | null;
  /** Time of Slack's last delivery, stored once an hour. Null before the first one. */
  delivered_at: number | null;
};

/** Installations by OAuth. See `installations.ts` for details. */
export type InstallationsTable = {
  /** ID of the organization if the whole organization has the app. Otherwise the workspace's ID. */
  id: string;
  name: string;
  bot_id: string;
  bot_user_id: string;
  /** Scopes that Slack granted, separated by commas. */
  scopes: string;
  installed_by: string;
  is_active: number;
  /** Version that grows with every change of the token. */
  version: Generated<number>;
  bot_token: Encrypted<'bot_token'>;
  /** Token for refreshing. Null if the app doesn't rotate tokens. */
  refresh_token: EncryptedOrNull<'refresh_token'>;
  expires_at: number | null;
  /** End of the time that one replica has to refresh the token. */
  refresh_until: Generated<number>;
};

/** Deliveries from Slack that are handled later, by their kind and Slack's ID. */
export type InboxTable = LeasedColumns & {
  id: string;
  /** Kind of the item. Registered with `inbox.register`. */
  kind: string;
  team_id: string;
  /** Content of the item, deleted once it's handled. */
  content_json: Encrypted<'content_json'>;
  received_at: number;
  handled_at: number | null;
  /** The item is due when this request reaches the point in `waits_until`: its `run` or its `end`. */
  waits_for_request: string | null;
  waits_until: string | null;
};

type Asked = ColumnsOf<typeof requestSchema, 'config_json'>;
type Progress = ColumnsOf<typeof runProgressSchema, 'run_json'>;
type Following = ColumnsOf<typeof followerStateSchema, 'pending_update_json'>;
type Publish = ColumnsOf<typeof requestPublishSchema, 'publish_wanted_json' | 'publish_problem'>;

/** Accepted requests: the request, the known state of its run, and people's clicks since then. */
export type RequestsTable = Omit<Asked, 'connection_id' | 'prompt'> &
  Progress &
  Following &
  ColumnsOf<typeof requestCancelSchema> &
  Publish & {
    connection_id: Generated<string>;
    /**
     * ID of the connection, without the owner of a personal key. Requests with the same value are on the same service,
     * where run IDs are unique.
     */
    service_id: Generated<string>;
    /** Thread with messages for this run. A thread below a run message is found by its post instead. */
    thread_ts: string | null;
    /** Prompt with secrets masked, which search uses. */
    masked_prompt: string;
    /** Original prompt. Null if nothing in it is masked. */
    prompt: EncryptedOrNull<'prompt'>;
    /** Columns for filters. They contain the requested values until the service reports the resolved ones. */
    environment_id: string | null;
    config_name: string | null;
    /** Automation that started the run, from `origin_json`. Null for people's runs. */
    automation_id: string | null;
    /** Link of the session. Null if it's too long to be indexed. */
    session_link: string | null;
    run_state: string | null;
    /** 1 if a pull request needs review. */
    needs_review: number | null;
    /** Cost of the run as last reported, see `run-cost.ts`. All four are null before the service reports it. */
    cost_micros: number | null;
    tokens: number | null;
    is_cost_incomplete: number | null;
    cost_models_json: string | null;
    due_at: number | null;
    lease_owner: string | null;
    lease_until: number;
    /** Requested action on the changes, for the audit log. */
    publish_action: string | null;
    version: Generated<number>;
    /** Number of times that a key rotation encrypted this row again. Messages don't show it. */
    rekeyed: Generated<number>;
    /** Value of `updated_at` in the pending update. */
    pending_update_at: number | null;
  };

/** People's answers to agents, one per question. */
export type AnswersTable = ColumnsOf<typeof answerSchema, 'given_json' | 'problem'>;

/** Home tabs, one per person who has opened it. See `home-views.ts`. */
export type HomeViewsTable = {
  team_id: string;
  user_id: string;
  revision: number;
  cursors_json: string;
  /** Filter and page of the stored listing. */
  listing_key: string | null;
  listing_json: EncryptedOrNull<'listing_json'>;
  listed_at: number | null;
  /** Time after which the view isn't refreshed, because the person hasn't used it. */
  active_until: number;
  refresh_at: number;
  /** Fingerprint of the published view. */
  shown: string | null;
};

/** Conversations and their visibility. See `conversations.ts`. */
type ConversationsTable = {
  team_id: string;
  id: string;
  /** 1 if Slack says that every member can read the conversation. */
  is_public: number;
  /** Version that grows with every event, so that an older reading isn't stored. */
  version: Generated<number>;
  /** Time when Slack last described the conversation. Null before that. */
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
 * Connections to runs services: address, key, how runs are watched, and whether the API works. The operator's row has
 * neither a workspace nor a key.
 */
export type ConnectionsTable = LeasedColumns & {
  id: string;
  team_id: string | null;
  /** Owner of a personal key. Null for the workspace's key. */
  user_id: string | null;
  /** Name of the connection. Null for a personal key. */
  name: string | null;
  base_url: string | null;
  /** API key. Null if the connection was removed, or the key disconnected. */
  api_key: EncryptedOrNull<'api_key'>;
  added_at: number | null;
  /** Way to find changes of runs. See `following/sweeps/sweep.ts`. */
  mode: string;
  /** Time when sweeps try the best way to find changes again. */
  mode_until: Generated<number>;
  /** Time by the service's clock from which the next sweep lists changes. */
  watermark: number | null;
  /** Current problem: `{ code, message, since }`, or null. */
  problem_json: string | null;
  /** 1 if run messages show the problem. */
  problem_shown: Generated<number>;
  /** Time of the next check of a single run, and the run that was checked last. */
  check_at: Generated<number>;
  checked_run_id: string | null;
};

/** Deliveries from Slack that were handled, by ID. */
type DeliveriesTable = { key: string; seen_at: number };
