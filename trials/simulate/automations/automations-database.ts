import type { DatabaseSchema } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';
import { openMemoryDatabase, type Row } from '../memory-database.ts';

export type AutomationsDatabase = Awaited<ReturnType<typeof createAutomationsDatabase>>;

const live = `('accepted', 'posted', 'following')`;

/** Notes for each firing that begins what is true then: the automation is on, and how many of its runs are active. */
const noteBegins = `create trigger note_begins after update of counted_at on automation_firings
  when old.counted_at is null and new.counted_at is not null begin
  insert into simulated_begins select new.id, new.automation_id, new.start_key, new.counted_at,
    (select count(*) from automations a where a.id = new.automation_id and a.pause_json is null),
    (select count(*) from requests r where r.automation_id = new.automation_id
      and r.id <> new.request_id and r.step in ${live}),
    (select count(distinct f.start_key) from automation_firings f
      where f.automation_id = new.automation_id and f.start_key <> new.start_key
        and f.counted_at is not null and f.state = 'waiting'
        and not exists (select 1 from requests r where r.id = f.request_id)),
    (select count(*) from automation_firings f where f.automation_id = new.automation_id
      and f.counted_at > new.counted_at - 3600000);
end`;

/** Notes for each accepted request if its automation is on then, as its owner and in its channel. */
const noteStarts = `create trigger note_starts after insert on requests begin
  insert into simulated_starts select new.id, (select count(*) from automations a
    where a.id = new.automation_id and a.pause_json is null
      and a.owner_id = new.creator_id and a.channel_id = new.channel_id);
end`;

const notePauses = `create trigger note_pauses after update of pause_json on automations
  when old.pause_json is null and new.pause_json is not null begin
  insert into simulated_pauses values (new.id, new.pause_json);
end`;

/** Creates the bot's database. It outlives the simulated processes, and is emptied for each seed. */
export async function createAutomationsDatabase() {
  const { raw, open, rows } = openMemoryDatabase<DatabaseSchema>([botTables]);
  for (const migration of Object.values(botTables.migrations)) await migration.up(open());
  raw.exec(`create table simulated_begins (firing_id text, automation_id text, start_key text,
    counted_at bigint, is_on integer, live integer, begun integer, in_hour integer)`);
  raw.exec('create table simulated_pauses (automation_id text, pause_json text)');
  raw.exec('create table simulated_starts (request_id text, is_on integer)');
  raw.exec(noteBegins);
  raw.exec(noteStarts);
  raw.exec(notePauses);
  const tables = [
    ...['automations', 'automation_firings', 'requests', 'outbox', 'audit_entries'],
    ...['simulated_begins', 'simulated_starts', 'simulated_pauses'],
  ];
  const run = (sql: string, ...values: unknown[]) => void raw.prepare(sql).run(values);
  return {
    open,
    rows,
    empty(): void {
      for (const table of tables) run(`delete from ${table}`);
    },
    /** Returns the IDs of the automations that aren't paused. */
    on: (): string[] =>
      rows('select id from automations where pause_json is null').map(({ id }) => String(id)),
    /** Ends the schedules, so that nothing more is due. */
    endSchedules: (): void => run('update automations set next_at = null, due_at = null'),
    /** Returns the requests whose run hasn't begun. */
    accepted: () =>
      rows(`select id, automation_id from requests where step = 'accepted'`).map((row) => ({
        id: String(row['id']),
        automationId: String(row['automation_id']),
      })),
    /** Moves a request, as the follower does. */
    moveRequest: (id: string, step: string): void =>
      run('update requests set step = ? where id = ?', step, id),
    /** Returns true if every firing is decided, every run has ended and no start is checked anymore. */
    isIdle(): boolean {
      const [{ left } = { left: 0 }] = rows(`select
        (select count(*) from requests where step in ${live})
        + (select count(*) from automation_firings
          where due_at is not null or lease_owner is not null or state = 'waiting') as left`) as Row[];
      return left === 0;
    },
  };
}
