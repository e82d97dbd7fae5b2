import { z } from 'zod';
import {
  agentConfigSchema,
  resolvedConfigSchema,
  runCreatorSchema,
  runMetadataSchema,
} from './contract.ts';
import { optional } from './optional.ts';

/**
 * Schema of the body that creates or replaces a schedule. A new schedule needs a prompt or a skill. Replacing keeps the
 * configuration, metadata and time zone that aren't given.
 */
export const scheduleRequestSchema = z.object({
  name: z.string().min(1),
  /** Cron expression with five fields. */
  cron_schedule: z.string().min(1),
  /** IANA time zone of the expression, an extension; UTC by default. */
  time_zone: z.string().optional(),
  prompt: z.string().optional(),
  agent_config: agentConfigSchema.optional(),
  /** False for a paused schedule; true by default. */
  enabled: z.boolean().optional(),
  metadata: runMetadataSchema.optional(),
});
export type ScheduleRequest = z.infer<typeof scheduleRequestSchema>;

/** Schema of the specification's `ScheduledAgentItem`. */
export const scheduleSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  cron_schedule: z.string(),
  time_zone: optional(z.string()),
  enabled: z.boolean(),
  prompt: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  agent_config: optional(resolvedConfigSchema),
  created_by: optional(runCreatorSchema),
  updated_by: optional(runCreatorSchema),
  history: optional(
    z.looseObject({ last_ran: optional(z.string()), next_run: optional(z.string()) }),
  ),
  /** Reason why the last due time started no run. */
  last_spawn_error: optional(z.string()),
  metadata: optional(z.record(z.string(), z.string())),
});
export type Schedule = z.infer<typeof scheduleSchema>;

export const listSchedulesResponseSchema = z.looseObject({ schedules: z.array(scheduleSchema) });
export const deletedScheduleSchema = z.looseObject({ success: z.boolean() });
