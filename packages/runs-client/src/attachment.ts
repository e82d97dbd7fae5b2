import { z } from 'zod';

/** Schema of a file for the agent. A service may reject all attachments, or some types. */
export const attachmentSchema = z.object({
  file_name: z.string().min(1),
  mime_type: z.string(),
  /** Contents of the file in Base64. */
  data: z.string(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** Max number of attachments in one request to the public service. */
export const maxAttachments = 5;
