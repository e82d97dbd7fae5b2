import { z } from 'zod';
import { conversationSchema } from './authority.ts';

/** Address of a message in Slack. */
const messageSchema = z.object({
  channelId: z.string(),
  ts: z.string(),
  permalink: z.string().optional(),
});

/** A file in Slack for the agent. Its content is read when the run is created, and never stored. */
export const requestFileSchema = z.object({
  id: z.string(),
  /** File name, with secrets masked because people read it. */
  name: z.string(),
  mimeType: z.string(),
  bytes: z.number(),
});
export type RequestFile = z.infer<typeof requestFileSchema>;

/**
 * Origin of a request, and the parts of its prompt. Stored as one JSON column, because it's only read with its request
 * and never searched. Every member except `kind` is optional.
 */
export const requestOriginSchema = z.object({
  kind: z.enum([
    ...([
      'command',
      'message',
      'shortcut',
      'home',
      'mention',
      'reply',
      'again',
      'workflow',
    ] as const),
    'automation',
  ]),
  /** Thread of the run message, if it's in the request's channel. */
  threadTs: z.string().optional(),
  /** True if the thread is only about this run, and not a discussion that the run joined. */
  ownsThread: z.boolean().optional(),
  /** Conversation that the run continues. */
  conversation: conversationSchema.optional(),
  /** True if the creator lets others use their keys in this run. */
  sharesKeys: z.boolean().optional(),
  /** Message that requested the run, or that the shortcut was used on. */
  source: messageSchema.optional(),
  /** Size of the Slack text that was sent with the prompt. */
  context: z
    .object({
      messages: z.number(),
      /** Number of thread messages that were left out. */
      left: z.number().optional(),
      characters: z.number(),
      masked: z.number(),
    })
    .optional(),
  files: z.array(requestFileSchema).optional(),
  /** Source of each configuration value, keyed by field. */
  fields: z.record(z.string(), z.string()).optional(),
  /** Request that this one repeats, or a repeated run that didn't start in Slack. */
  again: z
    .object({
      requestId: z.string().optional(),
      runId: z.string().optional(),
      /** Link to the earlier run's message or session. */
      link: z.string().optional(),
    })
    .optional(),
  /** True if the creator wants a notification at the end. */
  notify: z.boolean().optional(),
  /** Workflow step that waits for this run. */
  workflow: z
    .object({
      executionId: z.string(),
      waits: z.boolean(),
      name: z.string().optional(),
      /** True if the workflow names a person. Otherwise the app is the creator. */
      hasPerson: z.boolean(),
    })
    .optional(),
  /** Automation that started the run as the request's creator. */
  automation: z
    .object({
      id: z.string(),
      /** Name at the start. It may have changed. */
      name: z.string(),
      firingId: z.string(),
      /** Firing whose payload is sent to the agent as a file: this one, or the delivery that a test used. */
      payloadOf: z.string().optional(),
      trigger: z.enum(['schedule', 'webhook', 'message', 'reaction', 'test']),
      /** Person or bot whose message, reaction or click fired it. */
      by: z.string().optional(),
    })
    .optional(),
});
export type RequestOrigin = z.infer<typeof requestOriginSchema>;
