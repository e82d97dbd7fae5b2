import type { DatabaseSchema } from 'runs-service/store/schema';
import { serviceTables } from 'runs-service/store/tables';
import { openMemoryDatabase } from '../memory-database.ts';

export type SpendingDatabase = Awaited<ReturnType<typeof createSpendingDatabase>>;

/**
 * Notes for each new call what its counters had committed before it. It adds up the calls themselves, because a counter
 * can be wrong.
 */
const noteStarts = `create trigger note_starts after insert on service_model_calls begin
  insert into simulated_starts
  select new.id, new.run_id, s.key, s.period,
    (select coalesce(sum(coalesce(c.price_micros, c.reserved_micros)), 0) from service_model_calls c
      where c.id <> new.id and c.started_at >= s.starts_at and c.started_at < s.ends_at
        and instr(c.spend_keys_json, '"' || s.key || '"') > 0),
    s.allowed, r.spend_stopped is not null
  from service_spend s, service_runs r
  where r.id = new.run_id and instr(new.spend_keys_json, '"' || s.key || '"') > 0
    and s.starts_at <= new.started_at and s.ends_at > new.started_at;
end`;

const tables = [
  ...['service_runs', 'service_run_changes', 'service_run_questions', 'service_model_calls'],
  ...['service_spend', 'simulated_starts'],
];

/** Creates the database of the runs service. It outlives the simulated processes, and is emptied for each seed. */
export async function createSpendingDatabase() {
  const memory = openMemoryDatabase<DatabaseSchema>([serviceTables]);
  const { raw, rows } = memory;
  for (const migration of Object.values(serviceTables.migrations))
    await migration.up(memory.open());
  raw.exec(`create table simulated_starts (call_id text, run_id text, key text, period text,
    committed bigint, allowed bigint, is_stopped integer)`);
  raw.exec(noteStarts);
  return {
    open: memory.open,
    rows,
    empty(): void {
      for (const table of tables) raw.prepare(`delete from ${table}`).run([]);
    },
    /** Returns true if this many runs have ended, and no call is in progress. */
    isIdle(runs: number): boolean {
      const [found] = rows(`select
        (select count(*) from service_runs where ended_at is not null) as ended,
        (select count(*) from service_model_calls where ended_at is null) as calls`);
      return found?.['ended'] === runs && found['calls'] === 0;
    },
  };
}
