import { isPostgres } from 'base/database/clock';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './schema.ts';

export type RunFilter = {
  states?: readonly string[];
  configName?: string;
  modelId?: string;
  creatorUid?: string;
  source?: string;
  environmentId?: string;
  skillSpec?: string;
  /** Exclusive bounds of the creation and change times, in epoch ms. */
  createdAfter?: number;
  createdBefore?: number;
  updatedAfter?: number;
  updatedBefore?: number;
  search?: string;
  metadata?: Record<string, string>;
};

/** SQL condition on a run with the table alias `r`. `find` can use an index, and `check` can't. */
export type Condition = {
  /** Column with the index that finds the runs. */
  column: string;
  find: RawBuilder<SqlBool>;
  /** Same condition without an index. SQLite uses no index for a column with a plus sign before it. */
  check: RawBuilder<SqlBool>;
  /** Table expression with the rows that `find` reads. Undefined if no index finds them. */
  counted?: RawBuilder<unknown>;
  /** True if the index returns the runs in the order of their last change. */
  ordered?: boolean;
};

export const endOfTime = Number.MAX_SAFE_INTEGER;

const valueColumns = {
  skill_spec: 'skillSpec',
  creator_uid: 'creatorUid',
  config_name: 'configName',
  environment_id: 'environmentId',
  model_id: 'modelId',
  source: 'source',
} as const satisfies Record<string, keyof RunFilter>;

/**
 * Returns true for text of fewer than three characters. The text indexes can't find it, because they contain groups of
 * three characters.
 */
export const isShort = (search: string) => [...search.toLowerCase()].length < 3;

export function conditionsOf(db: Db, filter: RunFilter): Condition[] {
  const { createdAfter, createdBefore, updatedAfter, updatedBefore, search } = filter;
  return [
    ...Object.entries(valueColumns).flatMap(([column, name]) => isOneOf(column, filter[name])),
    ...isOneOf('state', ...(filter.states ?? [])),
    ...isBetween('created_at', createdAfter, createdBefore),
    ...isBetween('updated_at', updatedAfter, updatedBefore),
    ...Object.entries(filter.metadata ?? {}).map(hasMetadata),
    ...(search ? [hasText(db, search.toLowerCase())] : []),
  ];
}

function isOneOf(column: string, ...values: (string | undefined)[]): Condition[] {
  const [value, ...more] = values;
  if (value === undefined) return [];
  if (more.length > 0) return [on(column, (it) => sql`${it} in (${sql.join(values)})`)];
  return [{ ...on(column, (it) => sql`${it} = ${value}`), ordered: true }];
}

function on(column: string, test: (it: RawBuilder<unknown>) => RawBuilder<SqlBool>): Condition {
  const find = test(sql.ref(`r.${column}`));
  const check = test(sql`+${sql.ref(`r.${column}`)}`);
  return { column, find, check, counted: sql`service_runs r where ${find}` };
}

function isBetween(column: string, after: number | undefined, before: number | undefined) {
  if (after === undefined && before === undefined) return [];
  const [low, high] = [after ?? 0, before ?? endOfTime];
  return [on(column, (it) => sql`${it} > ${low} and ${it} < ${high}`)];
}

function hasMetadata([key, value]: [string, string]): Condition {
  const pairs = sql`service_run_metadata m where m.key = ${key} and m.value = ${value}`;
  return {
    column: 'id',
    find: sql`r.id in (select m.run_id from ${pairs})`,
    check: sql`exists (select 1 from ${pairs} and m.run_id = r.id)`,
    counted: pairs,
  };
}

function hasText(db: Db, text: string): Condition {
  const pattern = `%${text.replace(/[\\%_]/g, (found) => `\\${found}`)}%`;
  const check = sql<SqlBool>`r.search_text like ${pattern} escape '\\'`;
  if (isPostgres(db) || isShort(text)) return { column: 'search_text', find: check, check };
  const phrase = `"${text.replaceAll('"', '""')}"`;
  const matches = sql`service_run_texts where service_run_texts match ${phrase}`;
  const find = sql<SqlBool>`r.number in (select rowid from ${matches}) and ${check}`;
  return { column: 'number', find, check, counted: matches };
}

/**
 * Position after which a page of the list starts. `snapshot` is the time of the first page. All pages show the runs as
 * of that time, because runs can change meanwhile.
 */
export type ListPosition = { key: string | number; id: string; snapshot: number };

export type RunListQuery = {
  filter: RunFilter;
  sortBy: 'updated_at' | 'created_at' | 'title';
  sortOrder: 'asc' | 'desc';
  limit: number;
  after?: ListPosition | undefined;
};
