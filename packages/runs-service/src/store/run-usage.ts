import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from './schema.ts';
import type { CapState } from './spend-cap.ts';

/** Schema of a run's usage. Costs are in US dollars, and `resetsAt` is in epoch ms. */
export const runUsageSchema = z.object({
  costUsd: z.number().optional(),
  tokens: z.number().optional(),
  /** Usage by model, the most expensive first. Missing if the agent itself reported the usage. */
  models: z
    .array(
      z.object({
        model: z.string(),
        costUsd: z.number(),
        tokens: z.number(),
        calls: z.number(),
        /** Calls whose price is estimated, because they were cut or their model has no known price. */
        estimatedCalls: z.number(),
      }),
    )
    .optional(),
  /** The cap that is closest to its limit. The limit includes what people have allowed. */
  tightestCap: z
    .object({
      scope: z.string(),
      name: z.string().optional(),
      limitUsd: z.number(),
      spentUsd: z.number(),
      per: z.string(),
      resetsAt: z.number().optional(),
    })
    .optional(),
});
export type RunUsage = z.infer<typeof runUsageSchema>;

const microsPerDollar = 1_000_000;

/** 1 for a call without a complete report, and for one that counts at the highest price of its provider. */
const isEstimated = `case when estimated = 1 or price_entry = 'unpriced' then 1 else 0 end`;

const sumOf = (expression: string) =>
  sql<number>`cast(coalesce(sum(${sql.raw(expression)}), 0) as bigint)`;

/** Adds up the ended calls of a run by model. */
export async function readRunUsage(
  db: Db,
  runId: string,
  tightest: CapState | undefined,
): Promise<RunUsage> {
  const rows = await db
    .selectFrom('service_model_calls')
    .select([
      sql<string>`coalesce(served_model, model)`.as('name'),
      sumOf('price_micros').as('micros'),
      sumOf('coalesce(input_tokens, 0) + coalesce(output_tokens, 0)').as('tokens'),
      sumOf('1').as('calls'),
      sumOf(isEstimated).as('estimatedCalls'),
    ])
    .where('run_id', '=', runId)
    .where('ended_at', 'is not', null)
    .groupBy(sql`coalesce(served_model, model)`)
    .orderBy('micros', 'desc')
    .orderBy('name')
    .execute();
  const total = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((sum, row) => sum + pick(row), 0);
  return {
    costUsd: total(({ micros }) => micros) / microsPerDollar,
    tokens: total(({ tokens }) => tokens),
    models: rows.map(({ name, micros, tokens, calls, estimatedCalls }) => ({
      model: name,
      costUsd: micros / microsPerDollar,
      tokens,
      calls,
      estimatedCalls,
    })),
    ...(tightest && { tightestCap: usageOfCap(tightest) }),
  };
}

function usageOfCap({ cap, spent, allowed, resetsAt }: CapState): RunUsage['tightestCap'] {
  return {
    scope: cap.scope,
    ...(cap.name !== undefined && { name: cap.name }),
    limitUsd: (cap.limitMicros + allowed) / microsPerDollar,
    spentUsd: spent / microsPerDollar,
    per: cap.per,
    ...(resetsAt !== null && { resetsAt }),
  };
}
