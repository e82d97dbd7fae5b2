import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Db } from '../database.ts';
import { writeAllWords } from '../service-run-words.ts';

/** Lists by several filters, and by texts, from an index of their own; see the decision on filtered lists. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // In the order of creation; the full-text index of SQLite knows runs by it. Null on PostgreSQL.
  await db.schema.alterTable('service_runs').addColumn('number', 'bigint').execute();
  await sql`create index service_runs_long_lived on service_runs (updated_at, created_at)
    where updated_at - created_at > 86400000`.execute(db);
  if (db.getExecutor().adapter instanceof PostgresAdapter) return indexTexts(db);
  await sql`update service_runs set number = numbered.number
    from (select id, row_number() over (order by created_at, id) as number from service_runs) numbered
    where numbered.id = service_runs.id`.execute(db);
  await db.schema
    .createIndex('service_runs_by_number')
    .unique()
    .on('service_runs')
    .column('number')
    .execute();
  await sql`create virtual table service_run_words using
    fts5(words, content = '', detail = none, columnsize = 0, tokenize = 'ascii')`.execute(db);
  await writeAllWords(db as Db);
}

/** Where PostgreSQL has the extension and lets us; without it, searches read the texts. */
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
