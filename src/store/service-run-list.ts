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
  // No run changes before it is created: the second bound is for the index.
  if (filter.createdAfter !== undefined)
    found.push(
      sql`r.created_at > ${filter.createdAfter} and r.updated_at > ${filter.createdAfter}`,
    );
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

/** The first bound says the same about the key alone: that is what the databases find their place in an index by. */
function beyond(query: ServiceRunListQuery, key: RawBuilder<unknown>): RawBuilder<SqlBool>[] {
  if (!query.after) return [];
  const sign = sql.raw(query.sortOrder === 'desc' ? '<' : '>');
  const { key: from, id } = query.after;
  return [sql`${key} ${sign}= ${from}`, sql`(${key}, r.id) ${sign} (${from}, ${id})`];
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
  const byChange = query.sortBy === 'updated_at';
  const { from, key, where } = startingFrom(query);
  // Downwards, every page after the first is below the snapshot anyway.
  const above = byChange && !(query.after && query.sortOrder === 'desc');
  const bounds = above ? [sql<SqlBool>`${key} <= ${snapshot}`] : [];
  const listed = await select(db, query, from, key, [...where, ...bounds]);
  if (byChange && query.after) {
    const changes = sql`service_run_changes c cross join service_runs r`;
    const changedSince = [
      sql<SqlBool>`r.id = c.run_id`,
      sql<SqlBool>`c.until_at > ${snapshot} and c.changed_at <= ${snapshot}`,
    ];
    listed.push(...(await select(db, query, changes, sql.raw('c.changed_at'), changedSince)));
    const sign = query.sortOrder === 'desc' ? -1 : 1;
    listed.sort((a, b) => sign * compare(a, b));
  }
  const runs = listed.slice(0, query.limit);
  const last = runs.at(-1);
  if (!last || listed.length <= query.limit) return { runs };
  return { runs, next: { key: last.sort_key, id: last.id, snapshot } };
}

/**
 * Where the walk begins: at the runs, or, asked for metadata, at the pairs, which are fewer. `cross join` is how SQLite
 * is told the order.
 */
function startingFrom({ filter, sortBy }: ServiceRunListQuery) {
  const [pair] = Object.entries(filter.metadata ?? {});
  if (!pair) return { from: sql`service_runs r`, key: sql.raw(`r.${sortBy}`), where: [] };
  const [name, value] = pair;
  return {
    from: sql`service_run_metadata p cross join service_runs r`,
    key: sql.raw(sortBy === 'updated_at' ? 'p.updated_at' : `r.${sortBy}`),
    where: [sql<SqlBool>`p.key = ${name} and p.value = ${value} and r.id = p.run_id`],
  };
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
