import type { Run } from 'runs-client/contract';
import { z } from 'zod';

/** Cost of one model in a run. `micros` is null if the service doesn't know the price. */
const modelCostSchema = z.object({
  model: z.string(),
  micros: z.number().nullable(),
  tokens: z.number().nullable(),
  calls: z.number().nullable(),
  /** Calls whose price the service had to estimate. */
  estimatedCalls: z.number().nullable(),
});
export type ModelCost = z.infer<typeof modelCostSchema>;

export const modelCostsSchema = z.array(modelCostSchema);

/** Cost of a run as its service last reported it. Money is in millionths of a US dollar. */
export type RunCost = {
  /** Null if the service reports tokens without a cost. */
  micros: number | null;
  tokens: number | null;
  /** True if some of the tokens have no price, so the run cost more than `micros`. */
  isIncomplete: boolean;
  models: readonly ModelCost[];
};

/** Max of a stored value. Sums of many runs then still fit into a database integer. */
const maxStored = 1e12;
const maxModels = 20;
const maxModelName = 100;

export const microsPerDollar = 1_000_000;

/** Returns the cost of a run, or undefined if the service doesn't report its usage. */
export function readRunCost(run: Pick<Run, 'request_usage'> | null): RunCost | undefined {
  const usage = run?.request_usage;
  if (!usage) return undefined;
  const reported = [usage.inference_cost_usd, usage.compute_cost_usd, usage.platform_cost_usd]
    .map(microsOf)
    .filter((micros) => micros !== null);
  const micros = reported.length > 0 ? reported.reduce((sum, cost) => sum + cost, 0) : null;
  const tokens = countOf(usage.total_tokens);
  const models = readModels(usage);
  if (micros === null && !tokens && models.length === 0) return undefined;
  const isIncomplete =
    (micros === null && (tokens ?? 0) > 0) ||
    models.some((each) => each.micros === null && (each.tokens ?? 0) > 0);
  return {
    micros: micros === null ? null : Math.min(micros, maxStored),
    tokens,
    isIncomplete,
    models,
  };
}

function readModels({ models }: NonNullable<Run['request_usage']>): ModelCost[] {
  return (models ?? []).slice(0, maxModels).map((each) => ({
    model: [...each.model.replaceAll('\u0000', '')].slice(0, maxModelName).join(''),
    micros: microsOf(each.cost_usd),
    tokens: countOf(each.tokens),
    calls: countOf(each.calls),
    estimatedCalls: countOf(each.estimated_calls),
  }));
}

const microsOf = (dollars: number | null | undefined): number | null =>
  countOf(typeof dollars === 'number' ? dollars * microsPerDollar : null);

/** Returns a whole number that is 0 or more. Anything else counts as not reported. */
const countOf = (value: number | null | undefined): number | null =>
  typeof value === 'number' && value >= 0 ? Math.min(Math.round(value), maxStored) : null;
