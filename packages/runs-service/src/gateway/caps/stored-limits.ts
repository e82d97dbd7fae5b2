import { runLimitsSchema } from 'runs-client/run-limits';
import { z } from 'zod';
import type { StoredRun } from '../../store/runs.ts';

/**
 * Schema of the limits that are stored with a run. If the caller's key doesn't act on everyone's runs, the labels and
 * caps of its request have counters that only the runs of its owner use.
 */
const storedLimitsSchema = runLimitsSchema.extend({
  /** Type and name of the owner of these counters, such as `user ada`. The service sets this. */
  counted_apart_for: z.string().optional(),
});
export type StoredLimits = z.infer<typeof storedLimitsSchema>;

/** Returns the limits of a stored run. */
export const readStoredLimits = ({ limits_json: json }: Pick<StoredRun, 'limits_json'>) =>
  json === null ? {} : storedLimitsSchema.parse(JSON.parse(json));
