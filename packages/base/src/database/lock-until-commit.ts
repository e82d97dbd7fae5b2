import { sql } from 'kysely';
import type { Db } from '../../../../src/store/schema.ts';
import { isPostgres } from './clock.ts';

/** Others that lock the same name wait until this transaction ends. SQLite lets one transaction write at a time anyway. */
export async function lockUntilCommit(trx: Db, name: string): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(trx);
}
