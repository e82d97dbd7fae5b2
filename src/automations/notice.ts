import { z } from 'zod';

/** Kind of the posts that say that an automation was paused. */
export const automationNoticeKind = 'automation-notice';

/** Content of a post about a paused automation. */
export const automationNoticeSchema = z.object({
  automationId: z.string(),
  name: z.string(),
  ownerId: z.string(),
  channelId: z.string(),
  /** Person to tell in a direct message. Null for the message in the channel. */
  userId: z.string().nullable(),
  sentence: z.string(),
});
export type AutomationNotice = z.infer<typeof automationNoticeSchema>;
