import type { Encrypted, EncryptedOrNull } from 'base/encryption/secret';
import type { DatabaseSchema } from './schema.ts';

type EncryptedIn<Table> = {
  [Column in keyof Table & string]: Table[Column] extends
    | Encrypted<Column>
    | EncryptedOrNull<Column>
    ? Column
    : never;
}[keyof Table & string];
type Tables = {
  [Table in keyof DatabaseSchema]: EncryptedIn<DatabaseSchema[Table]> extends never ? never : Table;
}[keyof DatabaseSchema];

/**
 * All encrypted columns, each with the column that says whose it is. That one has to be selected as well, because a value
 * can only be decrypted for its owner. A name has the same owner in every table.
 */
export const encryptedColumns: {
  [Table in Tables]: Record<
    EncryptedIn<DatabaseSchema[Table]>,
    keyof DatabaseSchema[Table] & string
  >;
} = {
  requests: {
    prompt: 'id',
    config_json: 'id',
    run_json: 'id',
    pending_update_json: 'id',
    publish_problem: 'id',
    publish_wanted_json: 'id',
  },
  answers: { given_json: 'id', problem: 'id' },
  inbox: { content_json: 'id' },
  outbox: { content_json: 'id' },
  drafts: { draft_json: 'id' },
  settings: { value_json: 'scope_id' },
  installations: { bot_token: 'id', refresh_token: 'id' },
  connections: { api_key: 'id' },
  home_views: { listing_json: 'user_id' },
  service_runs: { prompt: 'id', config_json: 'id', status_json: 'id' },
  service_run_changes: { note: 'run_id' },
  service_run_followups: { message: 'run_id' },
  service_run_questions: { question_json: 'question_id', answer_json: 'question_id' },
  service_run_attachments: { part_json: 'run_id' },
  service_dispatches: { token: 'run_id', end_json: 'run_id' },
  service_run_progress: { progress_json: 'run_id' },
  service_conversations: { file_key: 'id' },
  service_publications: { wanted_json: 'id', problem: 'id', remark: 'id' },
  service_artifacts: { data_json: 'uid' },
  // Last, so that a rotation that was interrupted still needs both keys.
  encryption_check: { proof: 'id' },
};

/** From the name of an encrypted column to that of its owner. */
export const owners: ReadonlyMap<string, string> = new Map(
  Object.values(encryptedColumns).flatMap((columns) => Object.entries(columns)),
);
