import { z } from 'zod';

const spendLabel = z.string().regex(/^[\w.@:+-]{1,128}$/, {
  error: 'must be an ID of letters, digits and . _ @ : + -',
});
const modelId = z.string().regex(/^[\x21-\x7e]{1,200}$/, { error: "must be a model's ID" });

/** Schema of a cap that the caller sets, in US dollars. `group` is the ID of a group that the person is in. */
export const runCapSchema = z.strictObject({
  scope: z.enum(['run', 'person', 'channel', 'group', 'environment', 'workspace']),
  usd: z.number().min(0.000_001, { error: 'must be at least 0.000001' }).max(1_000_000),
  per: z.enum(['run', 'day', 'week', 'month']),
  /** IANA time zone in which days, weeks and months start. UTC by default. */
  time_zone: z.string().max(64).optional(),
  group: spendLabel.optional(),
  /** Name for people, such as "Ada" or "#backend". */
  name: z.string().min(1).max(100).optional(),
});
export type RunCap = z.infer<typeof runCapSchema>;
/**
 * Schema of a run's limits, an extension for services with a model gateway. The labels say whose spending the run's
 * model calls count as.
 */
export const runLimitsSchema = z.strictObject({
  /** Exact IDs of the models that the run can use. By default all that the environment allows. */
  models: z.array(modelId).max(100).optional(),
  workspace: spendLabel.optional(),
  person: spendLabel.optional(),
  channel: spendLabel.optional(),
  caps: z.array(runCapSchema).max(120).optional(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;
