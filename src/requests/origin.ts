import { z } from 'zod';
import { conversationSchema } from './authority.ts';

/** A message in Slack. */
const messageSchema = z.object({
  channelId: z.string(),
  ts: z.string(),
  permalink: z.string().optional(),
});

/** A file in Slack that goes to the agent. It's read when the run is created, so that nothing of it is kept. */
export const requestFileSchema = z.object({
  id: z.string(),
  /** Masked, because people read it. */
  name: z.string(),
  mimeType: z.string(),
  bytes: z.number(),
});
export type RequestFile = z.infer<typeof requestFileSchema>;

/**
 * Where a request came from and how it was put together. One JSON column: it is only read with its request, never
 * searched. Every member but `kind` may be absent.
 */
export const requestOriginSchema = z.object({
  kind: z.enum(['command', 'message', 'shortcut', 'home', 'mention', 'reply', 'again', 'workflow']),
  /** The thread that the run message goes into, when that is in the request's channel. */
  threadTs: z.string().optional(),
  /** The thread is about this run, not a discussion that the run is part of. */
  ownsThread: z.boolean().optional(),
  /** The conversation that the run continues. */
  conversation: conversationSchema.optional(),
  /** The creator lets others use their keys in this run. */
  sharesKeys: z.boolean().optional(),
  /** The message that asked for the run, or that the shortcut was used on. */
  source: messageSchema.optional(),
  /** Size of the text from Slack that was sent with the prompt. */
  context: z
    .object({
      messages: z.number(),
      /** Those of the thread that did not fit. */
      left: z.number().optional(),
      characters: z.number(),
      masked: z.number(),
    })
    .optional(),
  files: z.array(requestFileSchema).optional(),
  /** The source of each value in the configuration, by field. */
  fields: z.record(z.string(), z.string()).optional(),
  /** The repeated request, or the repeated run that was started elsewhere. */
  again: z
    .object({
      requestId: z.string().optional(),
      runId: z.string().optional(),
      /** To the earlier run's message or session. */
      link: z.string().optional(),
    })
    .optional(),
  /** The creator wants a word when the run has ended. */
  notify: z.boolean().optional(),
  /** The step of a workflow that waits for this run. */
  workflow: z
    .object({
      executionId: z.string(),
      waits: z.boolean(),
      name: z.string().optional(),
      /** Otherwise the app is the creator. */
      hasPerson: z.boolean(),
    })
    .optional(),
});
export type RequestOrigin = z.infer<typeof requestOriginSchema>;
