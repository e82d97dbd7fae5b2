import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Tables of the runs service. `schema.ts` explains the columns. */
export const serviceTables = [
  `create table service_runs (
    id text primary key,
    number bigint,
    session_token text not null unique,
    idempotency_key text unique, request_hash text not null,
    state text not null,
    creator_uid text not null, environment_id text not null, source text not null,
    config_name text, model_id text, skill_spec text,
    conversation_id text not null, key_uid text not null,
    created_at bigint not null, updated_at bigint not null, started_at bigint, ended_at bigint,
    cancel_requested integer not null,
    limits_json text, schedule_json text, model_token_hash text unique, spend_stopped text,
    followups_closed integer not null default 0,
    restarts integer not null default 0,
    lease_owner text, lease_until bigint,
    title text not null,
    creator_json text not null,
    config_json text not null,
    status_json text,
    usage_json text,
    metadata_json text not null default '{}',
    prompt text not null,
    search_text text not null
  )`,

  // Create the indexes for lists. The creation time at the end lets time filters skip runs without reading their
  // rows.
  ...[
    'updated_at, id, created_at',
    'created_at, id, updated_at',
    'title, id',
    'state, updated_at, id, created_at',
    'creator_uid, updated_at, id, created_at',
    'environment_id, updated_at, id, created_at',
    'config_name, updated_at, id, created_at',
    'model_id, updated_at, id, created_at',
    'source, updated_at, id, created_at',
    'skill_spec, updated_at, id, created_at',
  ].map(
    (columns) =>
      `create index service_runs_by_${columns.split(',')[0]} on service_runs (${columns})`,
  ),
  `create index service_runs_queue on service_runs (state, creator_uid, environment_id, created_at)`,
  `create index service_runs_conversation on service_runs (conversation_id, created_at)`,

  `create table service_run_changes (
    run_id text not null,
    changed_at bigint not null, until_at bigint,
    state text not null, note text,
    constraint service_run_changes_pk primary key (run_id, changed_at)
  )`,
  `create index service_run_changes_by_until_at on service_run_changes (until_at)`,

  `create table service_run_metadata (
    run_id text not null, key text not null, value text not null,
    constraint service_run_metadata_pk primary key (run_id, key)
  )`,
  `create index service_run_metadata_by_value on service_run_metadata (key, value, run_id)`,

  `create table service_run_followups (
    run_id text not null, number integer not null,
    message text not null,
    created_at bigint not null,
    idempotency_key text,
    constraint service_run_followups_pk primary key (run_id, number)
  )`,
  `create unique index service_run_followups_key on service_run_followups (run_id, idempotency_key)`,

  `create table service_run_questions (
    run_id text not null, question_id text not null,
    question_json text not null,
    asked_at bigint not null, closed_at bigint,
    answer_json text, answer_key text,
    spend_json text,
    constraint service_run_questions_pk primary key (run_id, question_id)
  )`,
  `create index service_run_questions_spend on service_run_questions (asked_at)
    where spend_json is not null and closed_at is null`,

  `create table service_dispatches (
    run_id text primary key, attempt integer not null,
    token_hash text not null, token text, model_token_hash text not null,
    dispatched_at bigint, worker text, reported_at bigint,
    events integer not null default 0,
    end_json text
  )`,
  `create index service_dispatches_by_model_token on service_dispatches (model_token_hash)`,

  `create table service_run_attachments (
    run_id text not null, number integer not null, part_json text not null,
    stored_at bigint not null,
    constraint service_run_attachments_pk primary key (run_id, number)
  )`,

  `create table service_run_progress (
    run_id text primary key, progress_json text not null, changed_at bigint not null
  )`,

  `create table service_conversations (
    id text primary key,
    environment_id text not null, work_name text not null,
    session_id text,
    file_name text not null, file_key text not null,
    saved_at bigint not null
  )`,

  `create table service_keys (
    key_hash text primary key, prefix text not null,
    creator_type text not null, creator_uid text not null, display_name text not null,
    role text not null,
    created_at bigint not null, revoked_at bigint
  )`,

  `create table service_passes (
    pass_hash text primary key, key_hash text, slack_team_id text, slack_user_id text,
    expires_at bigint not null
  )`,

  `create table service_publications (
    id text primary key, conversation_id text not null unique,
    run_id text not null,
    asked integer not null, asked_at bigint not null, done integer not null,
    branch text not null, base text, tip text,
    created_at bigint not null, published_at bigint,
    failures integer not null default 0, version integer not null default 0,
    due_at bigint, lease_owner text, lease_until bigint not null default 0,
    problem text, remark text,
    wanted_json text not null, tried_json text not null default '[]', pull_request_json text,
    action_json text, followed_json text
  )`,
  `create index service_publications_due on service_publications (due_at) where due_at is not null`,
  `create index service_publications_leased on service_publications (lease_owner) where lease_owner is not null`,
  `create table service_published_runs (
    run_id text primary key, publication_id text not null, asked integer not null
  )`,
  `create index service_published_runs_by_publication on service_published_runs (publication_id)`,

  `create table service_schedules (
    id text primary key,
    name text not null, cron text not null, time_zone text not null, enabled integer not null,
    creator_uid text not null, key_uid text not null,
    owner_json text not null, updated_by_json text not null, request_json text not null,
    idempotency_key text unique, request_hash text not null,
    created_at bigint not null, updated_at bigint not null, next_at bigint,
    last_run_id text, last_ran_at bigint, last_error text,
    failures integer not null default 0, version integer not null default 0,
    due_at bigint, lease_owner text, lease_until bigint not null default 0
  )`,
  `create index service_schedules_by_key on service_schedules (key_uid)`,
  `create index service_schedules_by_creator on service_schedules (creator_uid)`,
  `create index service_schedules_due on service_schedules (due_at) where due_at is not null`,
  `create index service_schedules_leased on service_schedules (lease_owner) where lease_owner is not null`,

  `create table service_artifacts (
    uid text primary key, run_id text not null, number integer not null,
    artifact_type text not null, data_json text not null, created_at bigint not null
  )`,
  `create unique index service_artifacts_by_run on service_artifacts (run_id, number)`,
  `create index service_artifacts_by_created_at on service_artifacts (created_at)`,

  `create table service_model_calls (
    id text primary key,
    run_id text not null, environment_id text not null,
    workspace text, person text not null, channel text,
    provider text not null, api text not null,
    model text not null, served_model text,
    started_at bigint not null, first_byte_at bigint, ended_at bigint,
    status integer, outcome text,
    input_tokens bigint, output_tokens bigint,
    cache_read_tokens bigint, cache_write_tokens bigint, reasoning_tokens bigint,
    reserved_micros bigint not null, price_micros bigint, price_entry text,
    estimated integer not null default 0,
    request_bytes bigint not null default 0, response_bytes bigint not null default 0,
    upstream_id text,
    spend_keys_json text not null,
    lease_owner text, lease_until bigint
  )`,
  `create index service_model_calls_by_run on service_model_calls (run_id, started_at)`,
  `create index service_model_calls_by_started_at on service_model_calls (started_at)`,
  `create index service_model_calls_leased on service_model_calls (lease_until) where ended_at is null`,
  `create table service_spend (
    key text not null, period text not null,
    starts_at bigint not null, ends_at bigint not null,
    spent bigint not null, reserved bigint not null,
    allowed bigint not null, caller_allowed bigint not null default 0,
    constraint service_spend_pk primary key (key, period)
  )`,

  `create table service_queue (claims bigint not null)`,
  `insert into service_queue (claims) values (0)`,
];

export async function createRunSearch(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) return indexTexts(db);
  await sql`create unique index service_runs_by_number on service_runs (number)`.execute(db);
  await sql`create virtual table service_run_texts using
    fts5(search_text, content = '', columnsize = 0, tokenize = 'trigram')`.execute(db);
  // Merge the text index only when 16 segments have the same size. The default merges at every 64th write, which
  // takes 15 ms or more.
  await sql`insert into service_run_texts (service_run_texts, rank) values ('automerge', 0)`.execute(
    db,
  );
}

/**
 * Creates PostgreSQL's text index. Without the extension `pg_trgm` or the right to create it, a search reads all texts.
 */
async function indexTexts(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ may: boolean }>`
    select has_database_privilege(current_database(), 'create') as may
    from pg_available_extensions where name = 'pg_trgm'`.execute(db);
  if (!rows[0]?.may) return;
  await sql`create extension if not exists pg_trgm`.execute(db);
  await sql`create index service_runs_by_search_text on service_runs using gin (search_text gin_trgm_ops)`.execute(
    db,
  );
}
