import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from './clock.ts';
import type { Db } from './database.ts';
import { fixedValues, type ServiceRunFilter } from './service-run-filter.ts';
import type { ServiceRunListQuery } from './service-run-list.ts';
import { wordsWanted } from './service-run-words.ts';

/** Where a list looks for its runs: `from` has them as `r`, `key` is what they are sorted by. */
export type Way = {
  from: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  where?: RawBuilder<SqlBool> | undefined;
  /** A few runs, sorted when they are found; otherwise a walk along an index that is in the right order. */
  few?: boolean;
  /** Sorted by when they were created, by their number: the order that words keep. */
  byNumber?: boolean;
};

/**
 * `few` runs are quickly read and sorted; and of filters that more runs fit, a walk soon meets enough. Up to `counted`,
 * values are counted to tell which of them is rarer.
 */
export const wayLimits = { few: 3_000, counted: 5_000 };
export type WayLimits = typeof wayLimits;

const runsBy = (index: string): RawBuilder<unknown> =>
  sql`service_runs r indexed by ${sql.ref(`service_runs_by_${index}`)}`;

/**
 * The quickest way to a page. PostgreSQL keeps statistics and finds it by itself. SQLite has none and would take an
 * index for each value it sees, whether it leads to three runs or to all, so it is counted and told.
 */
export async function chooseWay(
  db: Db,
  query: ServiceRunListQuery,
  limits: WayLimits,
): Promise<Way> {
  const { filter, sortBy } = query;
  const key = sql.ref(`r.${sortBy}`);
  if (isPostgres(db)) return pairsOf(filter, sortBy) ?? { from: sql`service_runs r`, key };
  const words = wordsWanted(filter);
  const few = await fewOf(db, query, words, limits.few);
  if (few) return { ...few, key, few: true };
  if (sortBy === 'updated_at') return changedWay(db, filter, key, limits.counted);
  if (sortBy === 'created_at' && words !== undefined)
    return {
      from: wordsAndRuns,
      where: sql`${matching(words)} and ${numbersWithin(filter)}`,
      key,
      byNumber: true,
    };
  return { from: runsBy(`${sortBy}_id`), key };
}

const wordsAndRuns = sql`service_run_words w cross join service_runs r on r.number = w.rowid`;
const matching = (words: string) => sql<SqlBool>`w.service_run_words match ${words}`;

/** Bounds of creation as bounds of numbers, which a walk over words can begin and end at. */
function numbersWithin({ createdAfter = 0, createdBefore, updatedAfter = 0 }: ServiceRunFilter) {
  // Runs that were created before and changed after `updatedAfter` are looked for by themselves.
  const from = sql`w.rowid >= ${firstSince(Math.max(createdAfter, updatedAfter) + 1)}`;
  if (createdBefore === undefined) return from;
  return sql`${from} and w.rowid < ${firstSince(createdBefore)}`;
}

const beyondAll = sql.lit(Number.MAX_SAFE_INTEGER);
const firstSince = (ms: number) =>
  sql`coalesce((select number from service_runs where created_at >= ${ms} order by created_at, id limit 1), ${beyondAll})`;

/** The first filter that only few runs fit, if there is one. */
async function fewOf(
  db: Db,
  { filter, sortBy }: ServiceRunListQuery,
  words: string | undefined,
  limit: number,
): Promise<Pick<Way, 'from' | 'where'> | undefined> {
  const { states, createdAfter, createdBefore, updatedAfter } = filter;
  const ways: Pick<Way, 'from' | 'where'>[] = [];
  if (words !== undefined) ways.push({ from: wordsAndRuns, where: matching(words) });
  if (states && (sortBy !== 'updated_at' || states.length > 1 || words !== undefined))
    ways.push({
      from: runsBy('state_updated_at_id'),
      where: sql`r.state in (${sql.join([...states])})`,
    });
  if (createdAfter !== undefined || createdBefore !== undefined)
    ways.push({
      from: runsBy('created_at_id'),
      where: sql`r.created_at > ${createdAfter ?? 0} and r.created_at < ${createdBefore ?? Number.MAX_SAFE_INTEGER}`,
    });
  if (updatedAfter !== undefined && sortBy !== 'updated_at')
    ways.push({ from: runsBy('updated_at_id'), where: sql`r.updated_at > ${updatedAfter}` });
  for (const way of ways) {
    // Words are counted without their runs.
    const from = way.from === wordsAndRuns ? sql`service_run_words w` : way.from;
    if ((await countUpTo(db, { ...way, from }, limit + 1)) <= limit) return way;
  }
  return undefined;
}

/** Sorted by the last change: along the index of the rarest value. */
async function changedWay(
  db: Db,
  filter: ServiceRunFilter,
  key: RawBuilder<unknown>,
  limit: number,
): Promise<Way> {
  const { states } = filter;
  const state = states?.length === 1 ? states[0] : undefined;
  const ways: Way[] = fixedValues(filter).map(({ column, value }) => ({
    from: runsBy(
      column === 'creator_uid' && state !== undefined
        ? 'creator_uid_state_updated_at_id'
        : `${column}_updated_at_id`,
    ),
    where: sql`${sql.ref(`r.${column}`)} = ${value}`,
    key,
  }));
  if (state !== undefined)
    ways.push({ from: runsBy('state_updated_at_id'), where: sql`r.state = ${state}`, key });
  const pairs = pairsOf(filter, 'updated_at');
  if (pairs) ways.push(pairs);
  const [first, ...others] = ways;
  if (!first) return { from: runsBy('updated_at_id'), key };
  if (others.length === 0) return first;
  // Words tell that many runs have all the values; of a state they tell nothing, so it may be worth a longer count.
  const far = state === undefined ? limit : 4 * limit;
  const counts = await Promise.all(ways.map((way) => countUpTo(db, way, far)));
  return ways[counts.indexOf(Math.min(...counts))] ?? first;
}

/** Asked for metadata: the pairs are fewer than the runs. `cross join` is how SQLite is told the order. */
function pairsOf(
  { metadata = {} }: ServiceRunFilter,
  sortBy: ServiceRunListQuery['sortBy'],
): Way | undefined {
  const [pair] = Object.entries(metadata);
  if (!pair) return undefined;
  const [name, value] = pair;
  return {
    from: sql`service_run_metadata p cross join service_runs r`,
    key: sql.ref(sortBy === 'updated_at' ? 'p.updated_at' : `r.${sortBy}`),
    where: sql`p.key = ${name} and p.value = ${value} and r.id = p.run_id`,
  };
}

async function countUpTo(db: Db, { from, where }: Way | Omit<Way, 'key'>, limit: number) {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 from ${from} where ${where ?? sql`1 = 1`} limit ${limit})`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}
