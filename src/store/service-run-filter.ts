import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from './clock.ts';
import type { Db } from './database.ts';

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

/** Filters on one column that never changes, which has an index `service_runs_by_<column>_updated_at_id`. */
const fixedColumns = {
  config_name: 'configName',
  model_id: 'modelId',
  creator_uid: 'creatorUid',
  source: 'source',
  environment_id: 'environmentId',
  skill_spec: 'skillSpec',
} as const satisfies Record<string, keyof ServiceRunFilter>;

/** The columns of a filter that are asked for one value each. */
export function fixedValues(filter: ServiceRunFilter): { column: string; value: string }[] {
  return Object.entries(fixedColumns).flatMap(([column, name]) => {
    const value = filter[name];
    return value === undefined ? [] : [{ column, value }];
  });
}

/** Escapes what `like` takes as a pattern. */
function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, (found) => `\\${found}`)}%`;
}

/**
 * What a run `r` must be like, whichever way it was come by. SQLite begins a walk at one bound of those it is given, and
 * a plus hides a column from that: where a walk begins and ends is said apart.
 */
export function conditions(db: Db, filter: ServiceRunFilter): RawBuilder<SqlBool>[] {
  const plus = sql.raw(isPostgres(db) ? '' : '+');
  const found: RawBuilder<SqlBool>[] = [];
  if (filter.states) found.push(sql`r.state in (${sql.join([...filter.states])})`);
  for (const { column, value } of fixedValues(filter))
    found.push(sql`${sql.ref(`r.${column}`)} = ${value}`);
  if (filter.createdAfter !== undefined)
    found.push(sql`${plus}r.created_at > ${filter.createdAfter}`);
  if (filter.createdBefore !== undefined)
    found.push(sql`${plus}r.created_at < ${filter.createdBefore}`);
  if (filter.updatedAfter !== undefined)
    found.push(sql`${plus}r.updated_at > ${filter.updatedAfter}`);
  if (filter.search !== undefined)
    found.push(sql`r.search_text like ${containing(filter.search)} escape '\\'`);
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    found.push(
      sql`exists (select 1 from service_run_metadata m where m.run_id = r.id and m.key = ${key} and m.value = ${value})`,
    );
  }
  return found;
}
