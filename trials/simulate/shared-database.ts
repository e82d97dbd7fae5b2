import type { DatabaseSchema } from '../../src/store/schema.ts';
import { botTables } from '../../src/store/tables.ts';
import { readInitialRows } from './initial-rows.ts';
import { openMemoryDatabase, type Row } from './memory-database.ts';

export type SharedDatabase = Awaited<ReturnType<typeof createSharedDatabase>>;

/** Creates a SQLite database in memory that outlives its bots and is emptied for each seed. */
export async function createSharedDatabase() {
  const { raw, open, rows } = openMemoryDatabase<DatabaseSchema>([botTables]);
  for (const migration of Object.values(botTables.migrations)) await migration.up(open());
  const tables = rows("select name from sqlite_master where type = 'table'")
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_'));
  const contents = (table: string) => rows(`select * from ${table}`);
  const initial = tables.filter((table) => contents(table).length > 0);
  if (initial.length > 0) throw new Error(`rows of the migration are lost: ${initial.join(', ')}`);
  const installed = await readInitialRows(open(), raw);

  return {
    /** Opens the database for one bot. */
    open,
    rows,
    /**
     * Empties the database.
     * @param workspaceCount number of workspaces with the app, see `Plan`
     */
    empty(workspaceCount: number): void {
      // Use no pragma, because SQLite parses every statement again after one.
      for (const table of tables) raw.prepare(`delete from ${table}`).run([]);
      installed.insert(workspaceCount);
    },
    left: () => rows('select id, step, due_at, lease_owner from requests'),
    /** Returns true if nothing is left to do, except for work that is due much later. */
    isIdle(nowMs: number): boolean {
      if (raw.inTransaction) throw new Error('a transaction is open between two events');
      const laterMs = nowMs + 5 * 60_000;
      const [{ left } = { left: 0 }] = raw.prepare(leftToDo).all([laterMs, laterMs]) as Row[];
      return left === 0;
    },
  };
}

const leftToDo = `select
  (select count(*) from requests where lease_owner is not null or due_at < ?
    or step in ('accepted', 'posted', 'following'))
  + (select count(*) from outbox where lease_owner is not null or due_at < ?)
  + (select count(*) from inbox where handled_at is null) as left`;
