/** Tables of Slack's workspaces, people and conversations, as the app knows them. `schema.ts` explains the columns. */
export const slackTables = [
  `create table workspaces (
    team_id text primary key, installation_id text, is_active integer not null,
    removed_at bigint, delivered_at bigint
  )`,
  `create index workspaces_installed on workspaces (installation_id) where installation_id is not null`,

  `create table installations (
    id text primary key,
    name text not null,
    bot_id text not null, bot_user_id text not null,
    scopes text not null, installed_by text not null,
    is_active integer not null,
    version integer not null default 0,
    expires_at bigint, refresh_until bigint not null default 0,
    bot_token text not null, refresh_token text
  )`,

  `create table settings (
    team_id text not null, scope text not null, scope_id text not null, key text not null,
    value_json text not null,
    updated_at bigint not null,
    constraint settings_pk primary key (team_id, scope, scope_id, key)
  )`,

  `create table deliveries (key text primary key, seen_at bigint not null)`,
  `create index deliveries_seen on deliveries (seen_at)`,

  `create table drafts (
    id text primary key,
    team_id text not null,
    draft_json text not null,
    created_at bigint not null,
    is_whole integer not null default 0
  )`,
  `create index drafts_created on drafts (created_at)`,

  `create table inbox (
    id text primary key,
    kind text not null,
    team_id text not null,
    received_at bigint not null, handled_at bigint,
    waits_for_request text, waits_until text,
    failures integer not null default 0,
    version integer not null default 0,
    due_at bigint, lease_owner text, lease_until bigint not null default 0,
    content_json text not null
  )`,
  `create index inbox_due on inbox (kind, due_at) where due_at is not null`,
  `create index inbox_leased on inbox (kind) where lease_owner is not null`,
  `create index inbox_waiting on inbox (kind) where waits_for_request is not null`,
  `create index inbox_unhandled on inbox (kind, id) where handled_at is null`,
  `create index inbox_handled on inbox (handled_at) where handled_at is not null`,

  `create table slack_writes (
    team_id text not null, kind text not null,
    whole_at bigint not null,
    constraint slack_writes_key primary key (team_id, kind)
  )`,

  `create table home_views (
    team_id text not null, user_id text not null,
    revision integer not null,
    cursors_json text not null,
    listing_key text, listing_json text, listed_at bigint,
    active_until bigint not null, refresh_at bigint not null,
    shown text,
    constraint home_views_key primary key (team_id, user_id)
  )`,
  `create index home_views_active on home_views (active_until, refresh_at)`,

  `create table conversations (
    team_id text not null, id text not null,
    is_public integer not null,
    version integer not null default 0,
    checked_at bigint, due_at bigint not null,
    constraint conversations_key primary key (team_id, id)
  )`,
  `create index conversations_due on conversations (due_at)`,
  // Index of public conversations only. It stays small, because every list of runs reads it.
  `create index conversations_public on conversations (team_id, id) where is_public = 1`,

  `create table conversation_members (
    team_id text not null, user_id text not null, conversation_id text not null,
    constraint conversation_members_key primary key (team_id, user_id, conversation_id)
  )`,
  `create index conversation_members_in on conversation_members (team_id, conversation_id)`,

  `create table digests (
    id text primary key,
    team_id text not null, channel_id text not null,
    hour integer not null, time_zone text not null,
    since_at bigint not null, next_at bigint not null
  )`,
  `create index digests_next on digests (next_at)`,
];
