import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './database.ts';
import { type Span, spanOf, waysAcross } from './service-run-edge.ts';
import { conditions, type ServiceRunFilter } from './service-run-filter.ts';
import { chooseWay, type Way, wayLimits } from './service-run-way.ts';
import type { ServiceRun } from './service-runs.ts';

/** `snapshot` is the moment at which the list is looked at, so that pages fit together while runs change. */
export type ServiceRunPlace = { key: string | number; id: string; snapshot: number };

export type ServiceRunListQuery = {
  filter: ServiceRunFilter;
  sortBy: 'updated_at' | 'created_at' | 'title';
  sortOrder: 'asc' | 'desc';
  limit: number;
  after?: ServiceRunPlace | undefined;
};

export type ServiceRunPage = { runs: ServiceRun[]; next?: ServiceRunPlace };

/**
 * The part of the order that is still to be read. The bounds of the key alone are what the databases find their place in
 * an index by: one on each side, the narrower of a span's and the reader's place.
 */
function ahead(
  { after, sortOrder }: ServiceRunListQuery,
  key: RawBuilder<unknown>,
  { lower, upper }: Span,
): RawBuilder<SqlBool>[] {
  const from = after?.key;
  const desc = sortOrder === 'desc';
  const highest = desc ? narrower(from, upper, Math.min) : upper;
  const lowest = desc ? lower : narrower(from, lower, Math.max);
  const found: RawBuilder<SqlBool>[] = [];
  if (highest !== undefined) found.push(sql`${key} <= ${highest}`);
  if (lowest !== undefined) found.push(sql`${key} >= ${lowest}`);
  const sign = sql.raw(desc ? '<' : '>');
  const plus = sql.raw(typeof from === 'number' ? '+' : '');
  if (after) found.push(sql`(${plus}${key}, r.id) ${sign} (${after.key}, ${after.id})`);
  return found;
}

function narrower(
  place: string | number | undefined,
  bound: number | undefined,
  choose: (a: number, b: number) => number,
): string | number | undefined {
  if (typeof place !== 'number' || bound === undefined) return place ?? bound;
  return choose(place, bound);
}

/** The same place in the order of numbers; whether that run fits the filter is of no account. */
function numberBeyond({ after, sortOrder }: ServiceRunListQuery): RawBuilder<SqlBool>[] {
  if (!after) return [];
  const sign = sql.raw(sortOrder === 'desc' ? '<' : '>');
  return [sql`w.rowid ${sign} (select number from service_runs where id = ${after.id})`];
}

type Listed = ServiceRun & { sort_key: string | number };

/** The page is found by its keys alone and then read: texts would weigh on the sorting. */
async function select(db: Db, query: ServiceRunListQuery, way: Way, span: Span): Promise<Listed[]> {
  const { from, key } = way;
  const place = way.byNumber ? numberBeyond(query) : ahead(query, key, span);
  const fitting = conditions(db, query.filter);
  const all = [...fitting, ...(way.where ? [way.where] : []), ...place];
  const order = sql.raw(query.sortOrder);
  const sorting = way.byNumber ? sql`w.rowid ${order}` : sql`${key} ${order}, r.id ${order}`;
  const { rows } = await sql<Listed>`
    select r.*, page.sort_key from (
      select r.id, ${key} as sort_key from ${from}
      where ${sql.join([...all, sql`1 = 1`], sql` and `)}
      order by ${sorting} limit ${query.limit + 1}
    ) page join service_runs r on r.id = page.id
    order by page.sort_key ${order}, page.id ${order}`.execute(db);
  return rows;
}

/**
 * One page of runs. Sorted by `updated_at`, a run that changes between two pages would jump over the reader's place or
 * come twice; so every page after the first shows the order of the first one's moment, with the runs as they are now.
 */
export async function listServiceRuns(
  db: Db,
  query: ServiceRunListQuery,
  limits = wayLimits,
): Promise<ServiceRunPage> {
  const snapshot = query.after?.snapshot ?? (await newestChange(db));
  const byChange = query.sortBy === 'updated_at';
  const sign = query.sortOrder === 'desc' ? -1 : 1;
  const way = await chooseWay(db, query, limits);
  // What has come or changed since the first page is later than its moment.
  const now = byChange ? { upper: snapshot } : {};
  const span = way.few ? now : narrowed(spanOf(query), now);
  const across = way.few ? [] : waysAcross(db, query);
  const listed = await select(db, query, way, span);
  for (const beside of across) listed.push(...(await select(db, query, beside, now)));
  if (byChange && query.after) {
    const changes = {
      from: sql`service_run_changes c cross join service_runs r`,
      key: sql.ref('c.changed_at'),
      where: sql<SqlBool>`r.id = c.run_id and c.until_at > ${snapshot} and c.changed_at <= ${snapshot}`,
    };
    listed.push(...(await select(db, query, changes, {})));
  }
  if (across.length > 0 || byChange) listed.sort((a, b) => sign * compare(a, b));
  const runs = listed.slice(0, query.limit);
  const last = runs.at(-1);
  if (!last || listed.length <= query.limit) return { runs };
  return { runs, next: { key: last.sort_key, id: last.id, snapshot } };
}

function narrowed({ lower, upper }: Span, now: Span): Span {
  if (upper === undefined || now.upper === undefined) return { lower, upper: upper ?? now.upper };
  return { lower, upper: Math.min(upper, now.upper) };
}

function compare(a: Listed, b: Listed): number {
  if (a.sort_key === b.sort_key) return a.id < b.id ? -1 : 1;
  return a.sort_key < b.sort_key ? -1 : 1;
}

async function newestChange(db: Db): Promise<number> {
  const row = await db
    .selectFrom('service_runs')
    .select(({ fn }) => fn.max<number | null>('updated_at').as('newest'))
    .executeTakeFirst();
  return row?.newest ?? 0;
}
