import { sql } from 'kysely';
import Sqlite from 'libsql';
import { ExplainedError } from '../../explained-error.ts';
import { isPostgres } from '../clock.ts';
import type { AnyDb } from '../tables.ts';

export type DatabaseLock = { release(): void };

/**
 * Makes this process the only one that uses a SQLite file for a purpose. Does nothing for PostgreSQL, which can be
 * shared, or for a database in memory. The lock is an open transaction in a second file. The transaction ends with the
 * process, even after kill -9.
 * @throws ExplainedError if another process has the lock
 */
export async function lockDatabase(db: AnyDb, purpose: string): Promise<DatabaseLock> {
  const file = await fileOf(db);
  if (file === undefined) return { release: () => undefined };
  const lock = new Sqlite(`${file}.${purpose.replaceAll(' ', '-')}-lock`);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
    throw new ExplainedError(
      `The database file ${file} is used by another ${purpose}. Stop that one, or give this one its own DATABASE_URL; several can share a PostgreSQL.`,
      { cause: error },
    );
  }
  return { release: () => lock.close() };
}

/** Returns the path of a SQLite database. Returns undefined for PostgreSQL and for a database in memory. */
async function fileOf(db: AnyDb): Promise<string | undefined> {
  if (isPostgres(db)) return undefined;
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db);
  return rows.find(({ name }) => name === 'main')?.file || undefined;
}
