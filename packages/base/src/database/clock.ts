import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { AnyDb } from './tables.ts';

export const isPostgres = (db: AnyDb): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** Returns epoch ms by PostgreSQL's clock, which all replicas share. With SQLite, returns the time of this process. */
export function nowMs(db: AnyDb, own = Date.now()): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(${own} as integer)`;
}
