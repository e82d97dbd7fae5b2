/** Column type that counts up with every new row. */
const positions = { sqlite: 'integer primary key', postgres: 'bigserial primary key' };

/** Table of the audit log. `schema.ts` explains the columns. */
export const auditTables = (kind: keyof typeof positions) => [
  `create table audit_entries (
    position ${positions[kind]},
    id text not null unique,
    team_id text not null, created_at bigint not null,
    action text not null, actor_id text not null,
    entity_type text not null, entity_id text not null,
    channel_id text,
    details_json text not null,
    sent_at bigint
  )`,
  `create index audit_unsent on audit_entries (position) where sent_at is null`,
  `create index audit_of_team on audit_entries (team_id, position)`,
];

/** Triggers that add an audit entry for a click, in the transaction that stores the click. */
const noted = [
  {
    name: 'start',
    event: 'insert',
    when: undefined,
    at: 'accepted_at',
    by: 'creator_id',
    action: `'run_started'`,
  },
  {
    name: 'cancel',
    event: 'update of cancel_asked_at',
    when: 'new.cancel_asked_at is not null and new.cancel_asked_at is distinct from old.cancel_asked_at',
    at: 'cancel_asked_at',
    by: 'cancel_asked_by',
    action: `'run_cancel_requested'`,
  },
  {
    name: 'publish',
    event: 'update of publish_asked_at',
    when: 'new.publish_asked_at is not null and new.publish_asked_at is distinct from old.publish_asked_at',
    at: 'publish_asked_at',
    by: 'publish_asked_by',
    action: `'changes_' || new.publish_action || '_requested'`,
  },
];

type Noted = (typeof noted)[number];

/** Details of an entry about a run that an automation started: its name at that time, and its ID. */
const automationDetails = {
  sqlite: `json_object('automation', json_extract(new.origin_json, '$.automation.name'),
    'automationId', new.automation_id)`,
  postgres: `json_build_object('automation', new.origin_json::json #>> '{automation,name}',
    'automationId', new.automation_id)::text`,
};

const insertEntry = (
  { at, by, action }: Noted,
  newId: string,
  kind: keyof typeof automationDetails,
) =>
  `insert into audit_entries
     (id, team_id, created_at, action, actor_id, entity_type, entity_id, channel_id, details_json)
   values (${newId}, new.team_id, new.${at}, ${action}, coalesce(new.${by}, 'unknown'), 'run', new.id, new.channel_id,
     case when new.automation_id is null then '{}' else ${automationDetails[kind]} end)`;

export const auditTriggers = {
  sqlite: noted.map((each) => {
    const insert = insertEntry(each, 'lower(hex(randomblob(16)))', 'sqlite');
    const when = each.when ? ` when ${each.when}` : '';
    return `create trigger audit_${each.name} after ${each.event} on requests${when} begin ${insert}; end`;
  }),
  postgres: noted.flatMap((each) => {
    const insert = insertEntry(each, `replace(gen_random_uuid()::text, '-', '')`, 'postgres');
    const when = each.when ? ` when (${each.when})` : '';
    return [
      `create function audit_${each.name}() returns trigger language plpgsql as
        $$ begin ${insert}; return null; end $$`,
      `create trigger audit_${each.name} after ${each.event} on requests for each row${when}
        execute function audit_${each.name}()`,
    ];
  }),
};
