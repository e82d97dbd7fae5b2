import { agentProgressSchema, questionSchema } from 'runs-client/contract';
import { fieldValueSchema } from 'runs-client/question-fields';
import { z } from 'zod';
import { agentUsageSchema } from '../../harnesses/steps/agent-step.ts';

/** The process that reports, next to its token: it makes this id when it starts. */
export const workerHeader = 'run-worker';

const maxNoteCharacters = 8_000;
const count = z.number().int().nonnegative();
/** Output of an agent is shown and stored as a whole, so it's cut before it's sent. */
const within = <Schema extends z.ZodType>(schema: Schema, maxCharacters: number) =>
  schema.refine((value) => JSON.stringify(value).length <= maxCharacters, {
    error: 'is too large',
  });

/** For the timeline of the run. */
export const eventSchema = z.union([
  z.strictObject({ note: z.string().max(maxNoteCharacters) }),
  z.strictObject({ usage: agentUsageSchema }),
]);
export type RunEvent = z.infer<typeof eventSchema>;
export const maxEventsAtOnce = 100;

/** `POST report`: what happened since the last one. Waits for news if nothing did. */
export const reportSchema = z.strictObject({
  /** The number of the first event. */
  from: count,
  events: z.array(eventSchema).max(maxEventsAtOnce),
  /** Replaces what was reported before. */
  progress: within(agentProgressSchema, 1024 * 1024).optional(),
  /** Those who follow the run see a change. */
  announce: z.strictObject({ usage: agentUsageSchema.optional() }).optional(),
  wait_seconds: z.number().nonnegative().max(60),
});
export type Report = z.infer<typeof reportSchema>;

export const reportAnswerSchema = z.object({
  /** The number of the next event: those before it are stored. */
  next: count,
  canceled: z.boolean(),
});

/** `POST followup`: the message after this one. */
export const followupRequestSchema = z.strictObject({ after: count });
/** Empty once the run takes no more messages. */
export const followupAnswerSchema = z.object({
  followup: z.object({ number: count, message: z.string() }).optional(),
});

const askedSchema = questionSchema.extend({ id: z.string().regex(/^[\w-]{1,100}$/) });
/** `POST questions` */
export const askSchema = z.strictObject({ question: within(askedSchema, 256 * 1024) });
export const askAnswerSchema = z.object({ asked: z.boolean() });

/** `GET questions/{id}`: waits a while for an answer. */
export const answerAnswerSchema = z.object({
  closed: z.boolean(),
  answer: z
    .union([
      z.strictObject({ optionId: z.string() }),
      z.strictObject({ text: z.string() }),
      z.strictObject({ values: z.record(z.string(), fieldValueSchema) }),
    ])
    .optional(),
});
/** `POST questions/{id}/close` */
export const closeSchema = z.strictObject({ note: z.string().max(maxNoteCharacters) });

/** `PUT files/{name}?offset=…`, which can be repeated. The sender continues at `have`. */
export const receivedSchema = z.object({ have: count });

const text = z.string().max(200);

/** `POST files/{name}`, once the service has all of it. */
export const finishedFileSchema = z.strictObject({
  bytes: count,
  /** Commits that a patch applies to. */
  bases: z
    .array(z.strictObject({ folder: text, base: z.string().regex(/^[0-9a-f]{7,64}$/) }))
    .max(100)
    .optional(),
  /** Key of a memory, and the agent's session. */
  file_key: text.optional(),
  session_id: text.nullable().optional(),
});
export type FinishedFile = z.infer<typeof finishedFileSchema>;
/** `missing`: the service that answers doesn't have the whole file. */
export const finishedAnswerSchema = z.object({ missing: z.boolean() });

const artifactSchema = z.discriminatedUnion('artifactType', [
  z.strictObject({
    artifactType: z.enum(['FILE', 'SCREENSHOT']),
    data: z.strictObject({
      file: z.strictObject({
        contentName: z.string().regex(/^[0-9a-f]{64}$/),
        key: text,
        bytes: count,
        contentType: text,
        path: z.string().max(1_000),
      }),
    }),
  }),
  z.strictObject({
    artifactType: z.literal('PLAN'),
    data: z.strictObject({ text: z.string().max(100_000) }),
  }),
  z.strictObject({
    artifactType: z.literal('EXTERNAL_REFERENCE'),
    data: z.strictObject({
      link: z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(4_096), title: text }),
    }),
  }),
]);
export type ReportedArtifact = z.infer<typeof artifactSchema>;
/** `POST artifacts`: all of them, at once. */
export const artifactsSchema = z.strictObject({ artifacts: z.array(artifactSchema).max(500) });

const statusSchema = z.strictObject({
  message: z.string().max(20_000),
  error_code: text.optional(),
  retryable: z.boolean().optional(),
});

/** `POST end`. `stopped` says why the process was stopped from outside. */
export const endSchema = z.union([
  z.strictObject({
    end: z.union([
      z.strictObject({ state: z.literal('SUCCEEDED'), status: z.exactOptional(statusSchema) }),
      z.strictObject({ state: z.literal('CANCELLED'), status: z.exactOptional(statusSchema) }),
      z.strictObject({ state: z.literal('FAILED'), status: statusSchema }),
    ]),
    output_bytes: count,
  }),
  z.strictObject({ stopped: z.string().max(1_000), output_bytes: count }),
]);
export type ReportedEnd = z.infer<typeof endSchema>;
