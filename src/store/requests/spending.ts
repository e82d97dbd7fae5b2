import { sql } from 'kysely';
import { type ModelCost, modelCostsSchema } from '../../requests/run-cost.ts';
import type { Db } from '../schema.ts';
import type { Requests } from './lock-order.ts';
import { type RunViewer, visibleTo } from './visible-requests.ts';

export type Spending = ReturnType<typeof createSpending>;

/** Runs to sum: those of a person, of some people, of a channel, of an environment, or all of the workspace. */
export type SpendingScope =
  | { creatorId: string }
  | { creatorIds: readonly string[] }
  | { channelId: string }
  | { environmentId: string }
  | 'workspace';

/** Time of acceptance of the runs to sum, in epoch ms. `until` is excluded. */
type Period = { since: number; until?: number };

/** Sum of costs in millionths of a US dollar, and the number of runs that cost more than is known. */
export type SpentSum = { micros: number; incompleteRuns: number };

/** Spending on a model. `isIncomplete` means that some of its tokens have no price. */
export type SpentOnModel = {
  model: string;
  micros: number;
  tokens: number;
  isIncomplete: boolean;
};
/** Spending of one person or environment. `id` is null for the default environment of the runs service. */
export type SpentBy<Id> = { id: Id; micros: number; runs: number };

export type SpendingReport = SpentSum & {
  /** Number of runs, with and without a known cost. */
  runs: number;
  tokens: number;
  /** Number of succeeded runs whose service reported neither cost nor tokens. */
  unreportedRuns: number;
  /** Each list is sorted by cost, the most expensive first. */
  byModel: SpentOnModel[];
  byPerson: SpentBy<string>[];
  byEnvironment: SpentBy<string | null>[];
  mostExpensive: ExpensiveRun[];
};
export type ExpensiveRun = { id: string; creatorId: string; title: string; micros: number };

type ReportFilter = {
  viewer: RunViewer;
  creatorId?: string | undefined;
  channelId?: string | undefined;
  since: number;
};

/** Max people in one statement, because databases limit the number of values. */
const maxPeople = 500;
const maxExpensive = 3;
/** Time for which a service's report of costs by model shows that it counts calls, in ms. */
const countedForMs = 30 * 24 * 60 * 60_000;

/** Sums what runs cost, as their services last reported it. Runs that were deleted aren't included. */
export function createSpending(db: Db) {
  async function sumOf(teamId: string, { since, until }: Period, where: Narrow): Promise<SpentSum> {
    const query = db
      .selectFrom('requests')
      .where('team_id', '=', teamId)
      .where('accepted_at', '>=', since)
      // Write this exactly like the condition of the index, so that the database uses the index.
      .where(sql<boolean>`is_cost_incomplete is not null`);
    const inPeriod = until === undefined ? query : query.where('accepted_at', '<', until);
    const row = await where(inPeriod)
      .select((select) => [
        select.fn.sum<number | string | null>('cost_micros').as('micros'),
        select.fn.sum<number | string | null>('is_cost_incomplete').as('incomplete'),
      ])
      .executeTakeFirst();
    return { micros: Number(row?.micros ?? 0), incompleteRuns: Number(row?.incomplete ?? 0) };
  }

  return {
    /** Sums all runs of a scope, also those in private conversations. Includes runs in progress. */
    async sum(teamId: string, scope: SpendingScope, period: Period): Promise<SpentSum> {
      if (typeof scope !== 'object' || !('creatorIds' in scope))
        return sumOf(teamId, period, inScope(scope));
      const total = { micros: 0, incompleteRuns: 0 };
      const ids = [...new Set(scope.creatorIds)];
      for (let at = 0; at < ids.length; at += maxPeople) {
        const some = ids.slice(at, at + maxPeople);
        const part = await sumOf(teamId, period, (each) => each.where('creator_id', 'in', some));
        total.micros += part.micros;
        total.incompleteRuns += part.incompleteRuns;
      }
      return total;
    },

    /** Returns true if a service has lately reported costs by model, which only services that count calls do. */
    async isCountedBy(teamId: string, serviceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('requests')
        .select('id')
        .where('team_id', '=', teamId)
        .where('service_id', '=', serviceId)
        .where('accepted_at', '>=', Date.now() - countedForMs)
        .where('cost_models_json', 'is not', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Reports on the runs that the viewer can see. */
    async report({ viewer, creatorId, channelId, since }: ReportFilter): Promise<SpendingReport> {
      let query = db
        .selectFrom('requests')
        .select(['id', 'creator_id', 'environment_id', 'run_state', 'title'])
        .select(['cost_micros', 'tokens', 'is_cost_incomplete', 'cost_models_json'])
        .where('team_id', '=', viewer.teamId)
        .where('accepted_at', '>=', since)
        .where('run_id', 'is not', null);
      if (creatorId !== undefined) query = query.where('creator_id', '=', creatorId);
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
      // Skip the visibility check for people's own requests, because they can see all of them.
      if (creatorId !== viewer.userId) query = query.where(visibleTo(viewer));
      return addUp(await query.execute());
    },
  };
}

type Narrow = (requests: Requests) => Requests;

const inScope =
  (scope: Exclude<SpendingScope, { creatorIds: readonly string[] }>): Narrow =>
  (requests) => {
    if (scope === 'workspace') return requests;
    if ('creatorId' in scope) return requests.where('creator_id', '=', scope.creatorId);
    if ('channelId' in scope) return requests.where('channel_id', '=', scope.channelId);
    return requests.where('environment_id', '=', scope.environmentId);
  };

type CostRow = {
  id: string;
  creator_id: string;
  environment_id: string | null;
  run_state: string | null;
  title: string;
  cost_micros: number | null;
  tokens: number | null;
  is_cost_incomplete: number | null;
  cost_models_json: string | null;
};

function addUp(rows: readonly CostRow[]): SpendingReport {
  const known = rows.filter((row) => row.is_cost_incomplete !== null);
  const models = new Map<string, SpentOnModel>();
  const people = new Map<string, SpentBy<string>>();
  const environments = new Map<string | null, SpentBy<string | null>>();
  for (const row of known) {
    const micros = row.cost_micros ?? 0;
    addRun(people, row.creator_id, micros);
    addRun(environments, row.environment_id, micros);
    for (const each of readModels(row.cost_models_json)) {
      const none = { model: each.model, micros: 0, tokens: 0, isIncomplete: false };
      const sum = models.get(each.model) ?? none;
      if (each.micros === null && (each.tokens ?? 0) > 0) sum.isIncomplete = true;
      sum.micros += each.micros ?? 0;
      sum.tokens += each.tokens ?? 0;
      models.set(each.model, sum);
    }
  }
  return {
    runs: rows.length,
    micros: total(known.map((row) => row.cost_micros)),
    tokens: total(known.map((row) => row.tokens)),
    incompleteRuns: total(known.map((row) => row.is_cost_incomplete)),
    unreportedRuns: rows.filter(
      (row) => row.is_cost_incomplete === null && row.run_state === 'SUCCEEDED',
    ).length,
    byModel: dearestFirst(models.values()),
    byPerson: dearestFirst(people.values()),
    byEnvironment: dearestFirst(environments.values()),
    mostExpensive: dearestFirst(
      known.flatMap(({ id, creator_id: creatorId, title, cost_micros: micros }) =>
        micros ? [{ id, creatorId, title, micros }] : [],
      ),
    ).slice(0, maxExpensive),
  };
}

const readModels = (json: string | null): ModelCost[] =>
  json === null ? [] : modelCostsSchema.parse(JSON.parse(json));

function addRun<Id>(sums: Map<Id, SpentBy<Id>>, id: Id, micros: number): void {
  const sum = sums.get(id) ?? { id, micros: 0, runs: 0 };
  sum.micros += micros;
  sum.runs += 1;
  sums.set(id, sum);
}

const total = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

const dearestFirst = <Sum extends { micros: number }>(sums: Iterable<Sum>): Sum[] =>
  [...sums].sort((a, b) => b.micros - a.micros);
