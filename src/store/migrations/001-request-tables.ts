/** Tables of requests, and of the app's work on them. `schema.ts` explains the columns. */
export const requestTables = [
  // Put long texts last, because SQLite reads a row from its start.
  `create table requests (
    id text primary key,
    team_id text not null, creator_id text not null, channel_id text not null,
    connection_id text not null default 'default', service_id text not null default 'default',
    title text not null,
    thread_ts text,
    environment_id text, config_name text,
    automation_id text,

    step text not null,
    version integer not null default 0,
    rekeyed integer not null default 0,
    failures integer not null,
    due_at bigint, next_poll_at bigint, change_seen_at bigint,
    lease_owner text, lease_until bigint not null,
    accepted_at bigint not null, ended_at bigint,
    create_began_at bigint, create_began_service_at bigint,
    cancel_asked_at bigint, cancel_asked_by text, cancel_retry_at bigint, cancel_outcome text,
    publish_asked_at bigint, publish_asked_by text, publish_action text, publish_retry_at bigint, publish_outcome text,
    unfollowed_at bigint, followed_since bigint, missing_since bigint,
    blocked_at bigint, pending_answer text,

    run_id text, run_state text, session_link text, needs_review integer,
    pending_update_at bigint,
    cost_micros bigint, tokens bigint, is_cost_incomplete integer, cost_models_json text,
    usual_json text,
    start_notes_json text,
    problem_json text,
    masked_prompt text not null,
    prompt text,
    context text,
    config_json text not null, authority_json text not null,
    origin_json text,
    limits_json text,
    run_json text,
    pending_update_json text,
    publish_problem text, publish_wanted_json text
  )`,

  // Indexes for the follower's queries.
  `create index requests_due on requests (due_at)`,
  `create index requests_ended_due on requests (due_at)
    where ended_at is not null and due_at is not null`,
  `create index requests_leased on requests (lease_owner, lease_until) where lease_owner is not null`,
  `create index requests_step on requests (step, accepted_at)`,
  `create index requests_followed on requests (connection_id, accepted_at) where step = 'following'`,
  `create index requests_results on requests (connection_id, ended_at)
    where ended_at is not null and next_poll_at is not null`,
  `create index requests_step_run on requests (step, connection_id, run_id) where run_id is not null`,

  // Indexes for people's queries. A new request is in none of the partial indexes, so accepting one stays fast.
  `create unique index requests_run on requests (run_id, service_id) where run_id is not null`,
  `create index requests_session on requests (session_link) where session_link is not null`,
  `create index requests_thread on requests (thread_ts, channel_id) where thread_ts is not null`,
  `create index requests_live_in_channel on requests (channel_id)
    where step in ('posted', 'following')`,

  // Indexes for lists. They contain the counted and the visibility columns, so that runs are counted without reading
  // rows.
  `create index requests_recent_state on requests
    (team_id, accepted_at, step, run_state, channel_id, creator_id)`,
  `create index requests_creator_state on requests (team_id, creator_id, accepted_at, step)`,
  `create index requests_channel on requests (team_id, channel_id, accepted_at)`,
  `create index requests_to_review on requests (team_id, accepted_at) where needs_review = 1`,
  `create index requests_environment on requests (team_id, environment_id, accepted_at)
    where environment_id is not null`,
  // Index of runs with a cost. It contains all columns of a sum over the workspace.
  `create index requests_cost on requests (team_id, accepted_at, cost_micros, is_cost_incomplete)
    where is_cost_incomplete is not null`,
  `create index requests_counted on requests (team_id, service_id, accepted_at)
    where cost_models_json is not null`,
  // Index of automations' runs. It contains what counts active runs and sums costs.
  `create index requests_automation on requests (automation_id, accepted_at, step, cost_micros)
    where automation_id is not null`,
  `create index requests_automations on requests (team_id, accepted_at) where automation_id is not null`,
  `create index requests_config_name on requests (team_id, config_name, accepted_at)
    where config_name is not null`,

  `create table request_watchers (
    request_id text not null, user_id text not null,
    team_id text,
    wants integer not null,
    changed_at bigint not null,
    constraint request_watchers_key primary key (request_id, user_id)
  )`,
  `create table run_feedback (
    request_id text not null, user_id text not null,
    team_id text not null,
    is_good integer not null,
    given_at bigint not null,
    constraint run_feedback_key primary key (request_id, user_id)
  )`,

  // Answers to questions, at most one for each. The ID is that of the question's post.
  `create table answers (
    id text primary key,
    team_id text not null, request_id text not null,
    answered_by text not null, answered_at bigint not null,
    began_at bigint, retry_at bigint, outcome text,
    given_json text not null, authority_json text not null, problem text
  )`,

  // Posts to Slack. A run message has the ID of its request.
  `create table outbox (
    id text primary key,
    kind text not null,
    team_id text not null, request_id text,
    created_at bigint not null,
    state text not null,
    version integer not null default 0,
    failures integer not null default 0,
    due_at bigint, lease_owner text, lease_until bigint not null default 0,
    began_at bigint, suspected_at bigint, check_at bigint, show_again_at bigint,
    channel_id text, ts text, shown text,
    content_json text not null, replaced_json text
  )`,
  `create index outbox_due on outbox (due_at)`,
  `create index outbox_new_due on outbox (due_at) where kind = 'run-message' and state = 'waiting'`,
  `create index outbox_leased on outbox (lease_owner, lease_until) where lease_owner is not null`,
  `create index outbox_request on outbox (request_id)`,
  `create index outbox_place on outbox (channel_id, ts) where ts is not null`,

  `create table run_lengths (
    request_id text primary key,
    environment text not null,
    waited_ms bigint, worked_ms bigint,
    ended_at bigint not null
  )`,
  `create index run_lengths_recent on run_lengths (environment, ended_at)`,

  `create table connections (
    id text primary key,
    team_id text, user_id text,
    name text, base_url text,
    added_at bigint,
    version integer not null default 0,
    mode text not null, mode_until bigint not null default 0,
    watermark bigint, due_at bigint,
    check_at bigint not null default 0, checked_run_id text,
    failures integer not null default 0, problem_json text, problem_shown integer not null default 0,
    lease_owner text, lease_until bigint not null default 0,
    api_key text
  )`,
  `create unique index connections_named on connections (team_id, name)
    where name is not null and api_key is not null`,
  `create index connections_of_person on connections (team_id, user_id) where user_id is not null`,
  `create index connections_claimable on connections
    ((case when lease_owner is null then due_at else lease_until end))`,
];

/**
 * Columns whose change makes a run message due. The step from accepted to posted is exempt, because the new message
 * already shows it.
 */
const shown = [
  {
    name: 'shown',
    columns:
      'step, run_json, problem_json, cancel_asked_at, cancel_outcome, publish_asked_at, publish_outcome, unfollowed_at, usual_json',
    when: "(old.step <> 'accepted' or new.step <> 'posted') and new.rekeyed = old.rekeyed",
  },
  {
    name: 'searched',
    columns: 'next_poll_at, followed_since, missing_since',
    when: 'new.missing_since is not null',
  },
];
const makeDue = (at: string) => `update outbox set due_at = ${at} where id = new.id`;
/**
 * SQL for a message's due time. Uses the current time, or keeps an earlier one, so that the longest wait comes first.
 * SQLite uses 0 (at once), because its clock isn't the process's clock.
 */
const inTurn = 'least(due_at, (extract(epoch from clock_timestamp()) * 1000)::bigint)';

/**
 * Triggers that make a message due in the same transaction as a visible change of its request,
 * for every writer.
 */
export const messageTriggers = {
  sqlite: shown.map(
    ({ name, columns, when }) =>
      `create trigger requests_${name} after update of ${columns} on requests when ${when}
        begin ${makeDue('0')}; end`,
  ),
  postgres: [
    `create function show_request() returns trigger language plpgsql as
      $$ begin ${makeDue(inTurn)}; return null; end $$`,
    ...shown.map(
      ({ name, columns, when }) =>
        `create trigger requests_${name} after update of ${columns} on requests for each row
          when (${when}) execute function show_request()`,
    ),
  ],
};
