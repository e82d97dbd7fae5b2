import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { AnyDb } from './tables.ts';

export const isPostgres = (db: AnyDb): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** Epoch milliseconds by PostgreSQL's clock, which all replicas share, or by our own with SQLite. */
export function nowMs(db: AnyDb, own = Date.now()): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(${own} as integer)`;
}
