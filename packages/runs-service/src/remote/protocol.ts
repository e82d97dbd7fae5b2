import { attachmentSchema } from 'runs-client/attachment';
import { agentProgressSchema, questionSchema } from 'runs-client/contract';
import { fieldValueSchema } from 'runs-client/question-fields';
import { z } from 'zod';
import { serviceEnvironmentSchema } from '../environments/environments.ts';
import { modelApis } from '../environments/models-config.ts';
import { agentUsageSchema } from '../harnesses/steps/agent-step.ts';

const bytes = z.number().int().nonnegative();

/** Answer of `POST start`: everything that the service knows about the run, with the environment's secrets. */
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
  /** Environment of the run, adjusted for the machine of `run-one`. */
  environment: serviceEnvironmentSchema.extend({
    secrets: z.record(z.string(), z.string()),
    isBuiltIn: z.exactOptional(z.literal(true)),
    /** Providers without their keys, addresses and prices, which stay with the service. */
    providers: z.exactOptional(
      z.array(
        z.strictObject({
          name: z.string(),
          api: z.enum(modelApis),
          allowed: z.exactOptional(z.array(z.string())),
          server_tools: z.boolean(),
          has_own_address: z.boolean(),
        }),
      ),
    ),
  }),
  /** Token with which the agent of this attempt reaches the models of `providers`. */
  model_token: z.string().optional(),
  attachments: z.array(attachmentSchema),
  /** Reason why the run was restarted. */
  restart_reason: z.string().optional(),
  /** Earlier runs of the conversation, oldest first. */
  earlier: z.array(
    z.object({
      id: z.string(),
      prompt: z.string(),
      state: z.string(),
      status_json: z.string().nullable(),
      followups: z.array(z.string()),
    }),
  ),
  /** Changes of the conversation's previous run. `run-one` fetches their patch from `files/earlier-patch`. */
  earlier_changes: z
    .object({ run_id: z.string(), environment_id: z.string(), whole: z.boolean(), bytes })
    .optional(),
  memory: z.object({
    /** True if another run of the conversation is using the memory. */
    is_held: z.boolean(),
    /**
     * Saved memory of the conversation. `run-one` fetches its file from `files/memory`. `bytes` is missing if the
     * service that answers doesn't have the file.
     */
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

/** Name of the header with the ID that `run-one` generates at startup. The header is sent in addition to the token. */
export const workerHeader = 'run-worker';

const maxNoteCharacters = 8_000;
const count = z.number().int().nonnegative();
/** Limits the size of agents' text, because it's stored and shown as a whole. */
const within = <Schema extends z.ZodType>(schema: Schema, maxCharacters: number) =>
  schema.refine((value) => JSON.stringify(value).length <= maxCharacters, {
    error: 'is too large',
  });

/** Schema of an event, which becomes an entry in the run's timeline. */
export const eventSchema = z.union([
  z.strictObject({ note: z.string().max(maxNoteCharacters) }),
  z.strictObject({ usage: agentUsageSchema }),
]);
export type RunEvent = z.infer<typeof eventSchema>;
export const maxEventsAtOnce = 100;

/** State of the run's spending that `run-one` knows. */
const knownSpendingSchema = z.strictObject({ is_held: z.boolean(), is_stopped: z.boolean() });
export type KnownSpending = z.infer<typeof knownSpendingSchema>;

/** State of a run's spending. */
const spendingSchema = z.object({
  /** True while model calls of the run wait for a person, because a cap is reached. */
  is_held: z.boolean(),
  /** Sentence that says why the run can't spend more and has to end. */
  stopped: z.string().optional(),
});
export type Spending = z.infer<typeof spendingSchema>;

/** Body of `POST report`: everything since the last report. An empty report waits for a cancel, or for a change of `spending`. */
export const reportSchema = z.strictObject({
  /** Number of the first event in `events`. */
  from: count,
  events: z.array(eventSchema).max(maxEventsAtOnce),
  /** Current progress, which replaces the progress of earlier reports. */
  progress: within(agentProgressSchema, 1024 * 1024).optional(),
  /** If set, the service notifies the clients that follow the run of a change. */
  announce: z.strictObject({ usage: agentUsageSchema.optional() }).optional(),
  wait_seconds: z.number().nonnegative().max(60),
  /** Set if the run uses models of the service. */
  spending: knownSpendingSchema.optional(),
});
export type Report = z.infer<typeof reportSchema>;

export const reportAnswerSchema = z.object({
  /** Number of the next event to send. The service has stored all events before it. */
  next: count,
  canceled: z.boolean(),
  spending: spendingSchema.optional(),
});

/** Body of `POST followup`, which requests the follow-up after the one with this number. */
export const followupRequestSchema = z.strictObject({ after: count });
/** Answer of `POST followup`, with the next follow-up. Without one, the run accepts no more follow-ups. */
export const followupAnswerSchema = z.object({
  followup: z.object({ number: count, message: z.string() }).optional(),
});

const askedSchema = questionSchema.extend({
  id: z.string().regex(/^[\w-]{1,100}$/),
  // Only the service asks about spending. An agent must not ask in its name.
  kind: z.exactOptional(z.never()),
});
/** Body of `POST questions`, with the agent's question. */
export const askSchema = z.strictObject({ question: within(askedSchema, 256 * 1024) });
export const askAnswerSchema = z.object({ asked: z.boolean() });

/** Answer of `GET questions/{id}`, which waits a while for a person. */
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
/** Body of `POST questions/{id}/close`, with a note for the timeline. */
export const closeSchema = z.strictObject({ note: z.string().max(maxNoteCharacters) });

/** Answer of `PUT files/{name}?offset=…`, which can be repeated. The sender continues at `have`. */
export const receivedSchema = z.object({ have: count });

const text = z.string().max(200);

/** Body of `POST files/{name}`, which is sent after the last chunk. */
export const finishedFileSchema = z.strictObject({
  bytes: count,
  /** Commits that the patch applies to, with the folders of their repositories. */
  bases: z
    .array(z.strictObject({ folder: text, base: z.string().regex(/^[0-9a-f]{7,64}$/) }))
    .max(100)
    .optional(),
  /** Key that encrypts the agent's memory, sent with the session's ID. */
  file_key: text.optional(),
  session_id: text.nullable().optional(),
});
export type FinishedFile = z.infer<typeof finishedFileSchema>;
/** Answer after a file was sent. `missing` is true if the service that answers doesn't have the whole file. */
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
/** Body of `POST artifacts`, with all artifacts of the run. */
export const artifactsSchema = z.strictObject({ artifacts: z.array(artifactSchema).max(500) });

const statusSchema = z.strictObject({
  message: z.string().max(20_000),
  error_code: text.optional(),
  retryable: z.boolean().optional(),
});

/** Body of `POST end`. `stopped` is the reason why the process was stopped from outside. */
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
