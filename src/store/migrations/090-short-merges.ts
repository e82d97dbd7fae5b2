import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * The full-text index of SQLite merges its parts at every 64th write, which takes 50 ms with a million runs. Merging only
 * when 16 parts of one size are there costs most writes nothing, and small parts a millisecond.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) return;
  await sql`insert into service_run_words(service_run_words, rank) values ('automerge', 0)`.execute(
    db,
  );
}
