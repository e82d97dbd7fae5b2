import { sql } from 'kysely';
import { isPostgres } from './clock.ts';
import type { AnyDb } from './tables.ts';

/** Others that lock the same name wait until this transaction ends. SQLite lets one transaction write at a time anyway. */
export async function lockUntilCommit(trx: AnyDb, name: string): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(trx);
}
