import { type RawBuilder, sql } from 'kysely';
import type { Db, ModelCallsTable } from './schema.ts';

/** Ended calls that started from `since` until before `until`, in epoch ms, of all runs or of one creator's. */
export type UsageFilter = { since: number; until: number; creatorUid: string | undefined };

export type UsageGrouping = 'model' | 'person' | 'environment' | 'channel' | 'day';

const inWorkspace = (column: string) =>
  sql<string | null>`case when workspace is null then ${sql.ref(column)}
    else workspace || '/' || ${sql.ref(column)} end`;

const groupings: Record<UsageGrouping, RawBuilder<string | number | null>> = {
  model: sql`coalesce(served_model, model)`,
  person: inWorkspace('person'),
  environment: sql`environment_id`,
  channel: inWorkspace('channel'),
  day: sql`started_at / 86400000`,
};

export type UsageSum = {
  micros: number;
  calls: number;
  estimated: number;
  input: number;
  cached: number;
  output: number;
  reasoning: number;
};

const total = (column: keyof ModelCallsTable) =>
  sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

/** Creates the store that adds up model calls. Calls that cost nothing and used no tokens, such as errors, don't count. */
export function createUsageSums(db: Db) {
  const paid = ({ since, until, creatorUid }: UsageFilter) =>
    db
      .selectFrom('service_model_calls')
      .where('ended_at', 'is not', null)
      .where((either) =>
        either.or([either('price_micros', '>', 0), either('input_tokens', 'is not', null)]),
      )
      .where('started_at', '>=', since)
      .where('started_at', '<', until)
      .$if(creatorUid !== undefined, (query) =>
        query.where('run_id', 'in', ({ selectFrom }) =>
          selectFrom('service_runs')
            .select('id')
            .where('creator_uid', '=', creatorUid ?? ''),
        ),
      );

  return {
    /** Returns the sums by group: the most expensive first, or the oldest day first. */
    async sumBy(
      filter: UsageFilter,
      grouping: UsageGrouping,
    ): Promise<(UsageSum & { name: string | null })[]> {
      const group = groupings[grouping];
      const rows = await paid(filter)
        .select([
          group.as('group'),
          total('price_micros').as('micros'),
          sql<number>`cast(count(*) as bigint)`.as('calls'),
          total('estimated').as('estimated'),
          total('input_tokens').as('input'),
          total('cache_read_tokens').as('cached'),
          total('output_tokens').as('output'),
          total('reasoning_tokens').as('reasoning'),
        ])
        .groupBy(group)
        .$if(grouping !== 'day', (query) => query.orderBy('micros', 'desc'))
        .orderBy(group)
        .execute();
      return rows.map(({ group: name, ...sums }) => ({
        name: typeof name === 'number' ? dayOf(name) : name,
        ...sums,
      }));
    },

    /** Returns the next calls after the one with `after`, oldest first. */
    page: (filter: UsageFilter, after: { startedAt: number; id: string }, limit: number) =>
      paid(filter)
        .selectAll()
        .where((either) =>
          either.or([
            either('started_at', '>', after.startedAt),
            either.and([either('started_at', '=', after.startedAt), either('id', '>', after.id)]),
          ]),
        )
        .orderBy('started_at')
        .orderBy('id')
        .limit(limit)
        .execute(),
  };
}
export type UsageSums = ReturnType<typeof createUsageSums>;

const dayOf = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10);
