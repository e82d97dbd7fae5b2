import { isPostgres } from 'base/database/clock';
import { sql } from 'kysely';
import type { Condition, RunListQuery } from './run-filter.ts';
import type { Db } from './schema.ts';

type QueryPlan = {
  /**
   * Returns true if the query uses this condition to find runs. Other conditions are checked for each run that is
   * found.
   */
  finds: (condition: Condition) => boolean;
  /** True to read and sort all found runs, instead of reading an index in order. */
  sorts: boolean;
};

/** Max runs to read and sort instead of using an ordered index. Reading and sorting that many takes about 10 ms. */
export const fullScanThreshold = 5_000;

/**
 * Plans SQLite's query, which should find runs by the rarest condition. SQLite only knows the average number of runs
 * per value. Its planner may choose an index that finds half of all runs. If each condition matches many runs, reading
 * in order soon fills a page. PostgreSQL makes a good plan itself.
 */
export async function planQuery(
  db: Db,
  conditions: readonly Condition[],
  sortBy: RunListQuery['sortBy'],
  few: number,
): Promise<QueryPlan> {
  if (isPostgres(db)) return { finds: () => true, sorts: false };
  const isOrdered = ({ ordered = false }: Condition) => ordered && sortBy === 'updated_at';
  const candidates = conditions.filter(({ column, counted }) => counted && column !== sortBy);
  const [only, ...others] = candidates;
  if (only && isOrdered(only) && others.length === 0) return { finds: () => true, sorts: false };
  const counts = await countRuns(db, candidates, (each) => (isOrdered(each) ? 4 : 1) * few + 1);
  const [rarest] = candidates
    .filter((each) => isOrdered(each) || countOf(each) <= few)
    .toSorted((a, b) => countOf(a) - countOf(b));
  const sorts = rarest !== undefined && !isOrdered(rarest);
  const walked = sorts ? undefined : sortBy;
  return { finds: (each) => each === rarest || each.column === walked, sorts };

  function countOf(condition: Condition): number {
    return counts[candidates.indexOf(condition)] ?? 0;
  }
}

/** Counts the runs that match each condition, up to a limit. Reads only indexes. */
async function countRuns(
  db: Db,
  conditions: readonly Condition[],
  limitOf: (condition: Condition) => number,
): Promise<number[]> {
  if (conditions.length === 0) return [];
  const counts = conditions.map(
    (each) => sql`(select count(*) from (select 1 from ${each.counted} limit ${limitOf(each)}))`,
  );
  const { rows } = await sql<{ counts: string }>`
    select json_array(${sql.join(counts)}) as counts`.execute(db);
  return JSON.parse(rows[0]?.counts ?? '[]');
}
