/**
 * Defines the Cloud Agent Runs API as zod schemas, with the API's snake_case names. Source: the specification of the
 * API, and where it's silent, the behavior of the public service. Parsing is tolerant: unknown fields pass through,
 * unknown enum values stay strings. Timestamps are RFC 3339 strings in UTC; identifiers are opaque.
 */
import { z } from 'zod';
import { attachmentSchema, maxAttachments } from './attachment.ts';
import { optional } from './optional.ts';
import { runPublicationSchema } from './publication.ts';
import { fieldValueSchema, questionFieldSchema } from './question-fields.ts';
import { runLimitsSchema } from './run-limits.ts';

/** Run states in the specification, and those that the public service adds. */
export const knownRunStates = [
  'QUEUED',
  'PENDING',
  'CLAIMED',
  'INPROGRESS',
  'BLOCKED',
  'SUCCEEDED',
  'FAILED',
  'ERROR',
  'CANCELLED',
] as const;
export type KnownRunState = (typeof knownRunStates)[number];

const terminalRunStates: ReadonlySet<string> = new Set([
  'SUCCEEDED',
  'FAILED',
  'ERROR',
  'CANCELLED',
]);

/** Returns true for final states. Unknown states aren't final, so their runs are still polled. */
export const isTerminalState = (state: string): boolean => terminalRunStates.has(state);

export const isKnownState = (state: string): state is KnownRunState =>
  (knownRunStates as readonly string[]).includes(state);

const text = z.string();
const textMap = z.record(z.string(), z.string());

/** Schema of an MCP server. Exactly one of `command` (stdio), `url` (HTTP) or `warp_id` (a shared server) is set. */
export const mcpServerConfigSchema = z
  .looseObject({
    command: text.optional(),
    args: z.array(text).optional(),
    env: textMap.optional(),
    url: text.optional(),
    headers: textMap.optional(),
    warp_id: text.optional(),
  })
  .refine(
    (server) =>
      [server.command, server.url, server.warp_id].filter((way) => way !== undefined).length === 1,
    { error: 'needs exactly one of "command", "url" or "warp_id"' },
  );
export type McpServerConfig = z.infer<typeof mcpServerConfigSchema>;

export const mcpServersSchema = z.record(z.string().min(1), mcpServerConfigSchema);

/**
 * Schema of the specification's `AmbientAgentConfig`. `skill_spec` is `owner/repo:skill-name` or
 * `owner/repo:path/to/SKILL.md`.
 */
export const agentConfigSchema = z.looseObject({
  name: text.optional(),
  model_id: text.optional(),
  base_prompt: text.optional(),
  environment_id: text.optional(),
  skill_spec: text.optional(),
  mcp_servers: mcpServersSchema.optional(),
});
export type AgentConfig = z.infer<typeof agentConfigSchema>;

/**
 * Schema of a run's metadata: at most 20 keys of `[a-zA-Z0-9._-]{1,64}`, with values up to 256 bytes. Metadata can't
 * change once the run exists.
 */
export const runMetadataSchema = z
  .record(z.string().regex(/^[a-zA-Z0-9._-]{1,64}$/), z.string())
  .refine((metadata) => Object.keys(metadata).length <= 20, { error: 'has more than 20 keys' })
  .refine((metadata) => Object.values(metadata).every((value) => Buffer.byteLength(value) <= 256), {
    error: 'has a value of more than 256 bytes',
  });

/**
 * Schema of the specification's `RunAgentRequest`, the body of `POST /agent/run`. A prompt or a skill is required, and
 * `skill` overrides `config.skill_spec`.
 */
export const createRunRequestSchema = z.object({
  prompt: z.string().min(1).optional(),
  skill: text.optional(),
  config: agentConfigSchema.optional(),
  title: text.optional(),
  metadata: runMetadataSchema.optional(),
  conversation_id: text.optional(),
  attachments: z.array(attachmentSchema).max(maxAttachments).optional(),
  on_behalf_of: text.optional(),
  limits: runLimitsSchema.optional(),
});
export type CreateRunRequest = z.infer<typeof createRunRequestSchema>;

/** Schema of the specification's `RunAgentResponse`. `task_id` is a deprecated copy of `run_id`. */
export const createRunResponseSchema = z.looseObject({
  run_id: text,
  state: text,
  task_id: text.optional(),
});
export type CreateRunResponse = z.infer<typeof createRunResponseSchema>;

export const runStatusMessageSchema = z.looseObject({
  message: text,
  error_code: optional(text),
  retryable: optional(z.boolean()),
  auth_url: optional(text),
});
export type RunStatusMessage = z.infer<typeof runStatusMessageSchema>;

export const runCreatorSchema = z.looseObject({
  type: optional(text),
  uid: optional(text),
  display_name: optional(text),
  email: optional(text),
  photo_url: optional(text),
});

export const runArtifactSchema = z.looseObject({
  artifact_type: text,
  created_at: optional(text),
  data: optional(z.looseObject({})),
});

export const requestUsageSchema = z.looseObject({
  inference_cost_usd: optional(z.number()),
  compute_cost_usd: optional(z.number()),
  platform_cost_usd: optional(z.number()),
  total_tokens: optional(z.number()),
  /** Cost and tokens by model, the most expensive first. An extension of services with a model gateway. */
  models: optional(
    z.array(
      z.looseObject({
        model: text,
        cost_usd: optional(z.number()),
        tokens: optional(z.number()),
        calls: optional(z.number()),
        estimated_calls: optional(z.number()),
      }),
    ),
  ),
  /** The cap that is closest to its limit: its scope, name, limit with allowed additions, and spending in US dollars. */
  tightest_cap: optional(
    z.looseObject({
      scope: text,
      name: optional(text),
      limit_usd: z.number(),
      spent_usd: z.number(),
      per: text,
      resets_at: optional(text),
    }),
  ),
});

/**
 * Schema of the configuration that the service used for a run. The rules for requests don't apply, because it's only
 * shown.
 */
export const resolvedConfigSchema = z.looseObject({
  name: optional(text),
  model_id: optional(text),
  base_prompt: optional(text),
  environment_id: optional(text),
  skill_spec: optional(text),
  mcp_servers: optional(z.record(z.string(), z.looseObject({}))),
});

export const planItemSchema = z.looseObject({
  title: text,
  /** State of this item of the plan: `pending`, `in_progress` or `completed`. */
  state: text,
});
export type PlanItem = z.infer<typeof planItemSchema>;

export const toolCallSchema = z.looseObject({
  name: text,
  /** The tool call's main argument in one line, such as a command or a path. */
  input: optional(text),
  /** State of the tool call: `in_progress`, `completed` or `failed`. */
  state: text,
  started_at: optional(text),
  /** Duration of the tool call in ISO 8601. Set when the call has ended. */
  run_time: optional(text),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

export const changedFilesSchema = z.looseObject({
  files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
  largest: optional(
    z.array(z.looseObject({ path: text, insertions: z.number(), deletions: z.number() })),
  ),
});
export type ChangedFiles = z.infer<typeof changedFilesSchema>;

/**
 * Schema of an agent's question to a person. `kind` of an option is `allow_once`, `allow_always`, `reject_once`,
 * `reject_always` or `choice`.
 */
export const questionSchema = z.looseObject({
  id: text,
  text,
  /** `spend` if the run has reached a cap and asks for more. Agents' own questions have no kind. */
  kind: optional(text),
  /** Details of the action that needs permission, such as a command or a diff. */
  details: optional(text),
  options: z.array(z.looseObject({ id: text, label: text, kind: optional(text) })),
  takes_text: optional(z.boolean()),
  fields: optional(z.array(questionFieldSchema)),
  asked_at: optional(text),
  expires_at: optional(text),
});
export type Question = z.infer<typeof questionSchema>;

/**
 * Schema of the body of `POST /agent/runs/{id}/answers`: an option, text if the question accepts it, or field values by
 * name.
 */
export const answerRequestSchema = z.strictObject({
  question_id: text,
  option_id: text.optional(),
  text: z.string().trim().min(1).max(20_000).optional(),
  values: z.record(z.string(), fieldValueSchema).optional(),
});
export type AnswerRequest = z.infer<typeof answerRequestSchema>;

/**
 * Schema of a run's progress while it's active, and of the result when it has ended. An extension of the API that other
 * services omit.
 */
export const agentProgressSchema = z.looseObject({
  /** The agent's last message, in Markdown. Lists omit it. */
  answer: optional(text),
  /** Short description of the agent's current action. */
  step: optional(text),
  plan: optional(z.array(planItemSchema)),
  /** The newest 50 tool calls, oldest first. Lists omit them. */
  tool_calls: optional(z.array(toolCallSchema)),
  /** Changed files. Set when the run has ended. */
  changes: optional(changedFilesSchema),
  /** The open question, while the run is `BLOCKED`. */
  question: optional(questionSchema),
});
export type AgentProgress = z.infer<typeof agentProgressSchema>;

/** Schema of the specification's `RunItem`. `run_time` is a duration in ISO 8601. */
export const runSchema = z.looseObject({
  run_id: text,
  title: optional(text),
  prompt: text,
  state: text,
  created_at: text,
  updated_at: text,
  task_id: optional(text),
  session_id: optional(text),
  session_link: optional(text),
  agent_config: optional(resolvedConfigSchema),
  status_message: optional(runStatusMessageSchema),
  creator: optional(runCreatorSchema),
  source: optional(text),
  /** Schedule that started the run, as of that time. */
  schedule: optional(
    z.looseObject({ schedule_id: text, schedule_name: text, cron_schedule: text }),
  ),
  started_at: optional(text),
  run_time: optional(text),
  trigger_url: optional(text),
  conversation_id: optional(text),
  metadata: optional(textMap),
  artifacts: optional(z.array(runArtifactSchema)),
  publication: optional(runPublicationSchema),
  request_usage: optional(requestUsageSchema),
  is_run_type_cancellable: optional(z.boolean()),
  agent_progress: optional(agentProgressSchema),
});
export type Run = z.infer<typeof runSchema>;

export const pageInfoSchema = z.looseObject({
  has_next_page: z.boolean(),
  next_cursor: text.nullish(),
});

export const listRunsResponseSchema = z.looseObject({
  runs: z.array(runSchema),
  page_info: pageInfoSchema,
});
export type ListRunsResponse = z.infer<typeof listRunsResponseSchema>;

/** Query of `GET /agent/runs`. A service may ignore filters that it doesn't support. */
export type ListRunsQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
  /** One state, or a list of states. Finds runs in any of them. */
  state?: string | readonly string[] | undefined;
  /** Name of the configuration. `config_name` is an alias of this filter. */
  name?: string | undefined;
  config_name?: string | undefined;
  model_id?: string | undefined;
  /** User ID of the run's creator. */
  creator?: string | undefined;
  source?: string | undefined;
  environment_id?: string | undefined;
  skill_spec?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  updated_after?: string | undefined;
  /** Text to search for in the runs' titles and prompts. */
  q?: string | undefined;
  sort_by?: 'updated_at' | 'created_at' | 'title' | undefined;
  sort_order?: 'asc' | 'desc' | undefined;
  /** Metadata to match, sent as `metadata[key]=value`. */
  metadata?: Record<string, string> | undefined;
};

export const environmentSchema = z.looseObject({
  uid: text,
  /** Environment that a request can name. `warning`, an extension, says what an agent can reach in this environment. */
  config: z.looseObject({ name: text, description: text.nullish(), warning: text.nullish() }),
});
export const listEnvironmentsResponseSchema = z.looseObject({
  environments: z.array(environmentSchema),
});
export type ListEnvironmentsResponse = z.infer<typeof listEnvironmentsResponseSchema>;

export const agentSchema = z.looseObject({
  name: text,
  variants: z.array(z.looseObject({ id: text })),
});
export const listAgentsResponseSchema = z.looseObject({ agents: z.array(agentSchema) });
export type ListAgentsResponse = z.infer<typeof listAgentsResponseSchema>;

/** Makes a member optional. The resulting type excludes `null`, unlike that of `optional`. */
const detail = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
/** Schema of problem details (RFC 7807) with the service's extensions. `type` ends in the error code. */
export const problemSchema = z.looseObject({
  error: detail(text),
  status: detail(z.number()),
  title: detail(text),
  type: detail(text),
  detail: detail(text),
  instance: detail(text),
  retryable: detail(z.boolean()),
  trace_id: detail(text),
  auth_url: detail(text),
});
export type Problem = z.infer<typeof problemSchema>;
