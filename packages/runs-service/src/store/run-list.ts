import { isPostgres } from 'base/database/clock';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  conditionsOf,
  endOfTime,
  isShort,
  type ListPosition,
  type RunFilter,
  type RunListQuery,
} from './run-filter.ts';
import { fullScanThreshold, planQuery } from './run-list-plan.ts';
import type { StoredRun } from './runs.ts';
import type { Db } from './schema.ts';

export type RunPage = { runs: StoredRun[]; next?: ListPosition };

/**
 * Returns one page of runs. All pages show the order at the time of the first page. In the current order, a run that
 * changes between two pages would be skipped or listed twice. See
 * docs/decisions/010-pages-of-runs-hold-while-runs-change.md.
 */
export async function listStoredRuns(
  db: Db,
  request: RunListQuery,
  few = fullScanThreshold,
): Promise<RunPage> {
  const snapshot = request.after?.snapshot ?? endOfTime;
  const query = { ...request, filter: await searchable(db, request.filter, snapshot) };
  const listed = await selectRuns(db, query, snapshot, few);
  if (query.sortBy === 'updated_at' && query.after) {
    const sign = query.sortOrder === 'desc' ? -1 : 1;
    listed.push(...(await selectChanged(db, query, snapshot)));
    listed.sort((a, b) => sign * compare(a, b));
  }
  const runs = listed.slice(0, query.limit);
  const last = runs.at(-1);
  if (!last || listed.length <= query.limit) return { runs };
  const next = { key: last.sort_key, id: last.id };
  return { runs, next: { ...next, snapshot: request.after?.snapshot ?? last.newest } };
}

export const newestSearched = 5_000;

/** Limits a search that can't use the text index to the newest runs. Later pages search the same runs. */
async function searchable(db: Db, filter: RunFilter, snapshot: number): Promise<RunFilter> {
  const { search, createdAfter = 0 } = filter;
  if (!search || !isShort(search)) return filter;
  const oldest = await db
    .selectFrom('service_runs')
    .select('created_at')
    .where('created_at', '<=', snapshot)
    .orderBy('created_at', 'desc')
    .offset(newestSearched - 1)
    .limit(1)
    .executeTakeFirst();
  return { ...filter, createdAfter: Math.max(createdAfter, (oldest?.created_at ?? 0) - 1) };
}

/**
 * Run of a page. `newest` is the time of the newest change of any run. The same statement reads it, so that no change
 * is missed.
 */
type Listed = StoredRun & { sort_key: string | number; newest: number };

/**
 * Selects runs in their current order. For a list sorted by change time, selects only runs that haven't changed since
 * the first page.
 */
async function selectRuns(db: Db, query: RunListQuery, snapshot: number, few: number) {
  const { sortBy } = query;
  const conditions = conditionsOf(db, remaining(query, snapshot));
  const { finds, sorts } = await planQuery(db, conditions, sortBy, few);
  const column = sql.ref(`r.${sortBy}`);
  return selectPage(db, query, {
    from: sql`service_runs r`,
    key: sorts ? sql`+${column}` : column,
    where: conditions.map((each) => (finds(each) ? each.find : each.check)),
  });
}

/** Selects the few runs that changed since the first page, at their earlier positions. */
async function selectChanged(db: Db, query: RunListQuery, snapshot: number) {
  const conditions = conditionsOf(db, query.filter);
  return selectPage(db, query, {
    from: sql`service_run_changes c cross join service_runs r`,
    key: sql.ref('c.changed_at'),
    where: [
      sql`r.id = c.run_id and c.until_at > ${snapshot} and c.changed_at <= ${snapshot}`,
      ...conditions.map(({ find, check }) => (isPostgres(db) ? find : check)),
    ],
  });
}

type Source = { from: RawBuilder<unknown>; key: RawBuilder<unknown>; where: RawBuilder<SqlBool>[] };

/** Selects the keys of a page first, and then reads whole rows, because sorting whole rows would be slow. */
async function selectPage(db: Db, query: RunListQuery, { from, key, where }: Source) {
  const { after, limit, sortOrder } = query;
  const order = sql.raw(sortOrder);
  const sign = sql.raw(sortOrder === 'desc' ? '<' : '>');
  const ahead = after ? [sql<SqlBool>`(${key}, r.id) ${sign} (${after.key}, ${after.id})`] : [];
  const { rows } = await sql<Listed>`
    select r.*, page.sort_key, (select max(updated_at) from service_runs) as newest from (
      select r.id, ${key} as sort_key from ${from}
      where ${sql.join([...where, ...ahead, sql`1 = 1`], sql` and `)}
      order by ${key} ${order}, r.id ${order} limit ${limit + 1}
    ) page join service_runs r on r.id = page.id
    order by page.sort_key ${order}, page.id ${order}`.execute(db);
  return rows;
}

/**
 * Adds time bounds to the filter, so that the query skips runs of earlier pages. The creation bound applies to changes
 * as well, because a run doesn't change before it's created.
 */
function remaining(query: RunListQuery, snapshot: number): RunFilter {
  const { filter, sortBy, sortOrder, after } = query;
  const { createdAfter = 0, createdBefore = endOfTime, updatedAfter = 0 } = filter;
  if (sortBy === 'title') return filter;
  const key = typeof after?.key === 'number' ? after.key : undefined;
  const low = sortOrder === 'asc' && key !== undefined ? key - 1 : 0;
  const high = sortOrder === 'desc' && key !== undefined ? key + 1 : endOfTime;
  if (sortBy === 'created_at')
    return {
      ...filter,
      createdAfter: Math.max(createdAfter, low),
      createdBefore: Math.min(createdBefore, high),
    };
  return {
    ...filter,
    updatedAfter: Math.max(updatedAfter, createdAfter, low),
    updatedBefore: Math.min(snapshot + 1, high),
  };
}

function compare(a: Listed, b: Listed): number {
  if (a.sort_key === b.sort_key) return a.id < b.id ? -1 : 1;
  return a.sort_key < b.sort_key ? -1 : 1;
}
