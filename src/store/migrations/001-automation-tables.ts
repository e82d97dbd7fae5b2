/** Tables of automations. `schema.ts` explains the columns. */
export const automationTables = [
  `create table automations (
    id text primary key,
    team_id text not null, owner_id text not null, channel_id text not null,
    name text not null,
    trigger_kind text not null, trigger_key text,
    next_at bigint,
    moved_at bigint,
    failed_starts integer not null default 0,
    created_at bigint not null, changed_at bigint not null, changed_by text not null,
    revision integer not null default 0,
    failures integer not null default 0,
    version integer not null default 0,
    due_at bigint, lease_owner text, lease_until bigint not null default 0,
    previous_secret_until bigint,
    pause_json text,
    secret text, previous_secret text,
    definition_json text not null
  )`,
  `create unique index automations_named on automations (team_id, channel_id, name)`,
  `create index automations_of on automations (team_id, owner_id)`,
  `create index automations_due on automations (due_at) where due_at is not null`,
  `create index automations_leased on automations (lease_owner, lease_until) where lease_owner is not null`,
  // Index of what messages and reactions fire. Every message in a channel reads it.
  `create index automations_fired on automations (team_id, channel_id, trigger_kind, trigger_key)
    where pause_json is null`,

  `create table automation_firings (
    id text primary key,
    automation_id text not null, team_id text not null,
    happened_at bigint not null,
    state text not null,
    request_id text, start_key text not null,
    counted_at bigint,
    failures integer not null default 0,
    version integer not null default 0,
    due_at bigint, lease_owner text, lease_until bigint not null default 0,
    reason text,
    content_json text not null,
    body text
  )`,
  `create index automation_firings_due on automation_firings (due_at) where due_at is not null`,
  `create index automation_firings_leased on automation_firings (lease_owner, lease_until)
    where lease_owner is not null`,
  `create index automation_firings_of on automation_firings (automation_id, happened_at)`,
  `create index automation_firings_old on automation_firings (happened_at)`,
  `create index automation_firings_counted on automation_firings (automation_id, counted_at)
    where counted_at is not null`,
];
