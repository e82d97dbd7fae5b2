import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../../src/store/schema.ts';

export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** Epoch milliseconds by PostgreSQL's clock, which all replicas share, or by our own with SQLite. */
export function nowMs(db: Db, own = Date.now()): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(${own} as integer)`;
}
