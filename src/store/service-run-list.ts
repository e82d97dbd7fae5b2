import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './database.ts';
import type { ServiceRun } from './service-runs.ts';

export type ServiceRunFilter = {
  states?: readonly string[];
  configName?: string;
  modelId?: string;
  creatorUid?: string;
  source?: string;
  environmentId?: string;
  skillSpec?: string;
  /** Epoch milliseconds; all three bounds are exclusive. */
  createdAfter?: number;
  createdBefore?: number;
  updatedAfter?: number;
  search?: string;
  metadata?: Record<string, string>;
};

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

/** Escapes what `like` takes as a pattern. */
function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, (found) => `\\${found}`)}%`;
}

function conditions(filter: ServiceRunFilter): RawBuilder<SqlBool>[] {
  const found: RawBuilder<SqlBool>[] = [];
  if (filter.states) found.push(sql`r.state in (${sql.join([...filter.states])})`);
  if (filter.configName !== undefined) found.push(sql`r.config_name = ${filter.configName}`);
  if (filter.modelId !== undefined) found.push(sql`r.model_id = ${filter.modelId}`);
  if (filter.creatorUid !== undefined) found.push(sql`r.creator_uid = ${filter.creatorUid}`);
  if (filter.source !== undefined) found.push(sql`r.source = ${filter.source}`);
  if (filter.environmentId !== undefined)
    found.push(sql`r.environment_id = ${filter.environmentId}`);
  if (filter.skillSpec !== undefined) found.push(sql`r.skill_spec = ${filter.skillSpec}`);
  if (filter.createdAfter !== undefined) found.push(sql`r.created_at > ${filter.createdAfter}`);
  if (filter.createdBefore !== undefined) found.push(sql`r.created_at < ${filter.createdBefore}`);
  if (filter.updatedAfter !== undefined) found.push(sql`r.updated_at > ${filter.updatedAfter}`);
  if (filter.search !== undefined)
    found.push(sql`r.search_text like ${containing(filter.search)} escape '\\'`);
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    found.push(
      sql`exists (select 1 from service_run_metadata m where m.run_id = r.id and m.key = ${key} and m.value = ${value})`,
    );
  }
  return found;
}

function beyond(query: ServiceRunListQuery, key: RawBuilder<unknown>): RawBuilder<SqlBool>[] {
  if (!query.after) return [];
  const sign = sql.raw(query.sortOrder === 'desc' ? '<' : '>');
  return [sql`(${key}, r.id) ${sign} (${query.after.key}, ${query.after.id})`];
}

type Listed = ServiceRun & { sort_key: string | number };

async function select(
  db: Db,
  query: ServiceRunListQuery,
  from: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  bounds: RawBuilder<SqlBool>[],
): Promise<Listed[]> {
  const all = [...conditions(query.filter), ...beyond(query, key), ...bounds, sql<SqlBool>`1 = 1`];
  const order = sql.raw(query.sortOrder);
  const { rows } = await sql<Listed>`
    select r.*, ${key} as sort_key from ${from}
    where ${sql.join(all, sql` and `)}
    order by ${key} ${order}, r.id ${order} limit ${query.limit + 1}`.execute(db);
  return rows;
}

/**
 * One page of runs. Sorted by `updated_at`, a run that changes between two pages would jump over the reader's place or
 * come twice; so every page after the first shows the order of the first one's moment, with the runs as they are now.
 */
export async function listServiceRuns(db: Db, query: ServiceRunListQuery): Promise<ServiceRunPage> {
  const snapshot = query.after?.snapshot ?? (await newestChange(db));
  const key = sql.raw(`r.${query.sortBy}`);
  const byChange = query.sortBy === 'updated_at';
  const bounds = byChange ? [sql<SqlBool>`r.updated_at <= ${snapshot}`] : [];
  const listed = await select(db, query, sql`service_runs r`, key, bounds);
  if (byChange && query.after) {
    const from = sql`service_run_changes c join service_runs r on r.id = c.run_id`;
    const changedSince = [
      sql<SqlBool>`c.until_at > ${snapshot}`,
      sql<SqlBool>`c.changed_at <= ${snapshot}`,
    ];
    listed.push(...(await select(db, query, from, sql.raw('c.changed_at'), changedSince)));
    const sign = query.sortOrder === 'desc' ? -1 : 1;
    listed.sort((a, b) => sign * compare(a, b));
  }
  const runs = listed.slice(0, query.limit);
  const last = runs.at(-1);
  if (!last || listed.length <= query.limit) return { runs };
  return { runs, next: { key: last.sort_key, id: last.id, snapshot } };
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
