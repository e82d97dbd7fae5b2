import { z } from 'zod';

/** Ways to group a usage report. Days start at midnight UTC. */
export const usageGroups = ['model', 'person', 'environment', 'channel', 'day'] as const;

const sums = {
  cost_usd: z.number(),
  calls: z.number(),
  /** Calls whose cost is an estimate, because their provider didn't report everything. */
  estimated_calls: z.number(),
  /** All input tokens, and those of them that came from a cache. */
  input_tokens: z.number(),
  cached_tokens: z.number(),
  /** All output tokens, and those of them that were reasoning. */
  output_tokens: z.number(),
  reasoning_tokens: z.number(),
};

/** Schema of a usage report, an extension of services with a model gateway. `since` and `until` are its bounds. */
export const usageReportSchema = z.looseObject({
  since: z.string(),
  until: z.string(),
  ...sums,
  /** The most expensive first, or the oldest day first. `name` is null for calls of runs without a channel. */
  groups: z.array(z.looseObject({ name: z.string().nullable(), ...sums })).optional(),
});
export type UsageReport = z.infer<typeof usageReportSchema>;

export type UsageQuery = {
  /** Days such as `2026-11-01`, or RFC 3339 timestamps. By default, the last 30 days. */
  since?: string;
  until?: string;
  group_by?: (typeof usageGroups)[number];
};
