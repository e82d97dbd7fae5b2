import { agentConfigSchema } from 'runs-client/contract';
import { runLimitsSchema } from 'runs-client/run-limits';
import { z } from 'zod';
import { authoritySchema } from './authority.ts';
import { requestOriginSchema } from './origin.ts';

/** A person's request for a run, which never changes. Times are epoch milliseconds. */
export const requestSchema = z.object({
  /** ID derived from Slack's delivery, so that a repeated delivery is the same request. */
  id: z.string(),
  teamId: z.string(),
  creatorId: z.string(),
  authority: authoritySchema,
  channelId: z.string(),
  /** ID of the connection, with its owner for a personal key. See `connection.ts`. */
  connectionId: z.string(),
  title: z.string(),
  prompt: z.string(),
  /** Text from Slack that is sent after the prompt, with secrets masked. */
  context: z.string().nullable(),
  config: agentConfigSchema,
  /** Null if the origin isn't known, or if only a newer version can read it. */
  origin: requestOriginSchema.nullable().catch(null),
  /** Limits from the rules, as they applied when the request was accepted or tried again. */
  limits: runLimitsSchema.nullable(),
  acceptedAt: z.number(),
});
export type Request = z.infer<typeof requestSchema>;
