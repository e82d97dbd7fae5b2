import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from './clock.ts';
import type { Db } from './database.ts';
import type { ServiceRunListQuery } from './service-run-list.ts';
import type { Way } from './service-run-way.ts';

const dayMs = 86_400_000;

/** A list that is sorted by one of a run's two moments and bounded by the other. */
export type Edge = {
  /** Runs of which both moments are on the wanted side: the sorting's own index leads straight to them. */
  within: (key: RawBuilder<unknown>) => RawBuilder<SqlBool>;
  /** The others, created before the bound and changed after it: those of its last day, and the few that lived longer. */
  across: (db: Db) => Way[];
};

/**
 * A walk in the order of one moment would pass over everything beyond the bound of the other: half of all runs, with a
 * bound in the middle. But a run's two moments are seldom far apart. Undefined when there is no such bound.
 */
export function edgeOf({ filter, sortBy }: ServiceRunListQuery): Edge | undefined {
  if (sortBy === 'updated_at' && filter.createdBefore !== undefined) {
    const at = filter.createdBefore;
    return { within: (key) => sql`${key} < ${at}`, across: (db) => runsAcross(db, at, sortBy) };
  }
  if (sortBy === 'created_at' && filter.updatedAfter !== undefined) {
    const at = filter.updatedAfter + 1;
    return { within: (key) => sql`${key} >= ${at}`, across: (db) => runsAcross(db, at, sortBy) };
  }
  return undefined;
}

function runsAcross(db: Db, at: number, sortBy: 'updated_at' | 'created_at'): Way[] {
  const via = (index: string) =>
    isPostgres(db) ? sql`service_runs r` : sql`service_runs r indexed by ${sql.ref(index)}`;
  const key = sql.ref(`r.${sortBy}`);
  return [
    {
      from: via('service_runs_by_created_at_updated_at'),
      key,
      where: sql`r.created_at >= ${at - dayMs} and r.created_at < ${at} and r.updated_at >= ${at}`,
    },
    {
      from: via('service_runs_long_lived'),
      key,
      where: sql`r.updated_at - r.created_at > 86400000 and r.updated_at >= ${at} and r.created_at < ${at - dayMs}`,
    },
  ];
}
