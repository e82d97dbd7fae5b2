import { z } from 'zod';

/** What was planned for a run message, so that it's planned once. */
const contentSchema = z.object({
  /** Notices: the ends of the request, questions, and the nudge. */
  planned: z.array(z.string()).default([]),
  /** The post of the open question. */
  asking: z.string().optional(),
  /** The thread and status of the agent session. */
  session: z.string().optional(),
});
type MessageContent = z.infer<typeof contentSchema>;

export const readMessageContent = (content: unknown): MessageContent =>
  contentSchema.parse(content);
