import { attachmentSchema } from 'runs-client/attachment';
import { z } from 'zod';
import { serviceEnvironmentSchema } from '../../environments/environments.ts';

const bytes = z.number().int().nonnegative();

/** What `run-one` fetches first: everything that the service knows about its run, with the environment's secrets. */
export const workSchema = z.object({
  run: z.object({
    id: z.string(),
    title: z.string(),
    prompt: z.string(),
    config_json: z.string(),
    environment_id: z.string(),
    conversation_id: z.string(),
    created_at: z.number(),
  }),
  /** As if it were of the machine of `run-one`. */
  environment: serviceEnvironmentSchema.extend({
    secrets: z.record(z.string(), z.string()),
    isBuiltIn: z.exactOptional(z.literal(true)),
  }),
  attachments: z.array(attachmentSchema),
  /** Why the run starts over. */
  restart_reason: z.string().optional(),
  /** The runs before this one in its conversation, oldest first. */
  earlier: z.array(
    z.object({
      id: z.string(),
      prompt: z.string(),
      state: z.string(),
      status_json: z.string().nullable(),
      followups: z.array(z.string()),
    }),
  ),
  /** The changes that the run starts with, as `files/earlier-patch`. */
  earlier_changes: z
    .object({ run_id: z.string(), environment_id: z.string(), whole: z.boolean(), bytes })
    .optional(),
  memory: z.object({
    /** Another run of the conversation has its memory. */
    is_held: z.boolean(),
    /** What is kept, as `files/memory`. Without `bytes`, the service that answers doesn't have the file. */
    kept: z
      .object({
        work_name: z.string(),
        session_id: z.string().nullable(),
        file_key: z.string(),
        saved_at: z.number(),
        bytes: bytes.optional(),
      })
      .optional(),
  }),
  limits: z.object({
    output_bytes: bytes,
    patch_bytes: bytes,
    artifacts: z.object({ files: bytes, fileBytes: bytes, totalBytes: bytes }),
    kill_grace_ms: bytes,
    deadline_seconds: z.number().positive(),
  }),
});
export type Work = z.infer<typeof workSchema>;
