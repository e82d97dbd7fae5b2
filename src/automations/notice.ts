import { z } from 'zod';
import { pauseSchema } from './automation.ts';

/** Kind of the post that says that an automation was paused. */
export const automationNoticeKind = 'automation-notice';

/** Content of the post: to the owner as a direct message, or in the automation's channel. */
export const automationNoticeSchema = z.object({
  to: z.enum(['owner', 'channel']),
  automationId: z.string(),
  name: z.string(),
  ownerId: z.string(),
  channelId: z.string(),
  pause: pauseSchema,
});
export type AutomationNotice = z.infer<typeof automationNoticeSchema>;
