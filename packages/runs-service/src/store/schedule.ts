import { agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';

const profileSchema = z.object({ type: z.string(), uid: z.string(), display_name: z.string() });

/** A schedule that starts runs with the permissions of the owner of an API key. */
export const scheduleSchema = z.object({
  id: z.string(),
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  enabled: z.boolean(),
  creatorUid: z.string(),
  /** Owner of the API key that created the schedule, as `<type> <uid>`. */
  keyUid: z.string(),
  /** Owner and role with which runs start, as of the last change by the owner. */
  owner: z.object({ role: z.string(), creator: profileSchema }),
  updatedBy: profileSchema,
  /** Prompt, configuration and metadata of the runs. */
  request: z.object({
    prompt: z.string(),
    config: agentConfigSchema.optional(),
    metadata: z.record(z.string(), z.string()),
  }),
  idempotencyKey: z.string().nullable(),
  requestHash: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Next due time of an enabled schedule. Null if there is none. */
  nextAt: z.number().nullable(),
  lastRunId: z.string().nullable(),
  lastRanAt: z.number().nullable(),
  /** Sentence that says what kept the last due time from starting a run. */
  lastError: z.string().nullable(),
  failures: z.number(),
  version: z.number(),
});
export type Schedule = z.infer<typeof scheduleSchema>;
export type NewSchedule = Omit<
  Schedule,
  'lastRunId' | 'lastRanAt' | 'lastError' | 'failures' | 'version' | 'createdAt' | 'updatedAt'
>;
export type ScheduleChanges = Partial<
  Pick<
    Schedule,
    'name' | 'cron' | 'timeZone' | 'enabled' | 'owner' | 'updatedBy' | 'request' | 'nextAt'
  >
>;
