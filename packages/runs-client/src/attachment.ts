import { z } from 'zod';

/** A file for the agent. A service may refuse attachments, or some types of them. */
export const attachmentSchema = z.object({
  file_name: z.string().min(1),
  mime_type: z.string(),
  /** Base64. */
  data: z.string(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** The public service accepts so many. */
export const maxAttachments = 5;
