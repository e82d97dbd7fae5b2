import { sql } from 'kysely';
import { serviceTables } from 'runs-service/store/tables';
import { expect, it, onTestFinished } from 'vitest';
import { encryptedColumns } from '../../../src/store/encrypted-columns.ts';
import { openWholeDatabase } from '../../support/database/whole-database.ts';

/**
 * Columns that stay readable, because they're compared, sorted or searched, or contain nothing secret. Add each new
 * column here or to `encryptedColumns`.
 */
const readable: Record<string, string> = {
  answers: 'id team_id request_id answered_by outcome authority_json',
  // Details contain no prompts, answers or keys, see `AuditEntry`.
  audit_entries: 'id team_id action actor_id entity_type entity_id channel_id details_json',
  // Reasons and pauses contain no payload and no message.
  automation_firings: 'id automation_id team_id state request_id start_key lease_owner reason',
  automations:
    'id team_id owner_id channel_id name trigger_kind trigger_key changed_by lease_owner pause_json',
  connections: 'id team_id user_id name base_url mode checked_run_id problem_json lease_owner',
  conversation_members: 'team_id user_id conversation_id',
  conversations: 'team_id id',
  deliveries: 'key',
  digests: 'id team_id channel_id time_zone',
  drafts: 'id team_id',
  encryption_check: 'id',
  home_views: 'team_id user_id cursors_json listing_key shown',
  inbox: 'id kind team_id waits_for_request waits_until lease_owner',
  installations: 'id name bot_id bot_user_id scopes installed_by',
  outbox: 'id kind team_id request_id state lease_owner channel_id ts shown replaced_json',
  request_watchers: 'request_id user_id team_id',
  // Titles, prompts, contexts and problems are masked.
  requests:
    'id team_id creator_id channel_id connection_id service_id title thread_ts environment_id config_name automation_id step lease_owner cancel_asked_by cancel_outcome publish_asked_by publish_action publish_outcome pending_answer run_id run_state session_link cost_models_json usual_json start_notes_json problem_json masked_prompt context authority_json origin_json limits_json',
  run_feedback: 'request_id user_id team_id',
  run_lengths: 'request_id environment',
  service_artifacts: 'uid run_id artifact_type',
  service_conversations: 'id environment_id work_name session_id file_name',
  service_dispatches: 'run_id token_hash model_token_hash worker',
  service_keys: 'key_hash prefix creator_type creator_uid display_name role',
  // Calls of models have no text of the call.
  service_model_calls:
    'id run_id environment_id workspace person channel provider api model served_model outcome price_entry upstream_id spend_keys_json lease_owner',
  service_passes: 'pass_hash key_hash slack_team_id slack_user_id',
  // The pull request's host shows these texts as well.
  service_publications:
    'id conversation_id run_id branch base tip lease_owner tried_json pull_request_json action_json followed_json',
  service_published_runs: 'run_id publication_id',
  service_run_attachments: 'run_id',
  service_run_changes: 'run_id state',
  service_run_followups: 'run_id idempotency_key',
  // Metadata is plain text, because lists filter by it.
  service_run_metadata: 'run_id key value',
  service_run_progress: 'run_id',
  service_run_questions: 'run_id question_id answer_key spend_json',
  // The session page finds a run by the token in its link.
  service_runs:
    'id session_token idempotency_key request_hash state creator_uid environment_id source config_name model_id skill_spec conversation_id key_uid limits_json schedule_json model_token_hash spend_stopped lease_owner title creator_json usage_json metadata_json search_text',
  // Names are masked, like titles of runs.
  service_schedules:
    'id name cron time_zone creator_uid key_uid owner_json updated_by_json idempotency_key request_hash last_run_id last_error lease_owner',
  service_spend: 'key period',
  settings: 'team_id scope scope_id key',
  slack_writes: 'team_id kind',
  workspaces: 'team_id installation_id',
};

it('every text that is stored is either encrypted or readable on purpose', async () => {
  const db = await openWholeDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  const { rows } = await sql<{ at: string; name: string }>`
    select tables.name as at, columns.name as name
    from sqlite_master tables, pragma_table_info(tables.name) columns
    where tables.type = 'table' and lower(columns.type) = 'text' and tables.name not like 'sqlite%'
      and tables.name not like 'service_run_texts%'`.execute(db);
  const encrypted: Record<string, object> = {
    ...encryptedColumns,
    ...serviceTables.encryptedColumns,
    encryption_check: { proof: 'id' },
  };
  const found: Record<string, string> = {};
  for (const { at, name } of rows)
    if (!Object.hasOwn(encrypted[at] ?? {}, name))
      found[at] = found[at] ? `${found[at]} ${name}` : name;
  expect(found).toEqual(readable);
});
