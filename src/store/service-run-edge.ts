import { sql } from 'kysely';
import { isPostgres } from './clock.ts';
import type { Db } from './database.ts';
import type { ServiceRunListQuery } from './service-run-list.ts';
import type { Way } from './service-run-way.ts';

const dayMs = 86_400_000;

/** Where a walk in the order of a moment begins and ends; both belong to it. */
export type Span = { lower?: number | undefined; upper?: number | undefined };

/** Between which moments of its order a list lies, by its filter; no run changes before it is created. */
export function spanOf({ filter, sortBy }: ServiceRunListQuery): Span {
  const { createdAfter, createdBefore, updatedAfter } = filter;
  if (sortBy === 'title') return {};
  const bounds = [createdAfter, updatedAfter].filter((ms) => ms !== undefined);
  return {
    lower: bounds.length > 0 ? Math.max(...bounds) + 1 : undefined,
    upper: createdBefore === undefined ? undefined : createdBefore - 1,
  };
}

/**
 * Sorted by one of a run's two moments and bounded by the other, a walk would pass over everything beyond the bound: half
 * of all runs, with a bound in the middle. But the two are seldom far apart. So the walk keeps to the runs of which both
 * are on the wanted side, and these are the others, created before the bound and changed after it: those of its last
 * day, and the few that lived longer. None when there is no such bound.
 */
export function waysAcross(db: Db, { filter, sortBy }: ServiceRunListQuery): Way[] {
  if (sortBy === 'updated_at' && filter.createdBefore !== undefined)
    return runsAcross(db, filter.createdBefore, sortBy);
  if (sortBy === 'created_at' && filter.updatedAfter !== undefined)
    return runsAcross(db, filter.updatedAfter + 1, sortBy);
  return [];
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
