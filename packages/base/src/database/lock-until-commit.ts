import { sql } from 'kysely';
import { isPostgres } from './clock.ts';
import type { AnyDb } from './tables.ts';

/**
 * Locks a name until this transaction ends, so that other transactions with the same name wait. SQLite needs no lock,
 * because only one transaction can write at a time.
 */
export async function lockUntilCommit(trx: AnyDb, name: string): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(trx);
}
