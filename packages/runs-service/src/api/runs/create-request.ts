import { isTimeZone } from 'base/time/local-time';
import { maxAttachments } from 'runs-client/attachment';
import {
  agentConfigSchema,
  createRunRequestSchema,
  mcpServerConfigSchema,
} from 'runs-client/contract';
import { type RunLimits, runLimitsSchema } from 'runs-client/run-limits';
import { z } from 'zod';
import { ApiProblem } from '../problem.ts';
import { readBody } from '../read-request.ts';

export const maxPromptCharacters = 200_000;
/** Max characters of titles, names and IDs, because PostgreSQL can index only about 2,700 bytes. */
const maxNameCharacters = 500;
const maxAddressCharacters = 4_096;
/** Max characters of an argument, variable or header of an MCP server. */
const maxValueCharacters = 32_768;
const maxEntries = 100;

export const text = (maxCharacters: number) =>
  z.string().max(maxCharacters, { error: `is longer than ${maxCharacters} characters` });
const name = text(maxNameCharacters).optional();
const address = text(maxAddressCharacters).optional();
const value = text(maxValueCharacters);

const tooMany = { error: `has more than ${maxEntries} entries` };
const isWithinLimit = (map: object) => Object.keys(map).length <= maxEntries;
const values = z.record(text(maxNameCharacters), value).refine(isWithinLimit, tooMany).optional();

const mcpServerSchema = z
  .looseObject({
    ...mcpServerConfigSchema.shape,
    command: address,
    args: z.array(value).max(maxEntries, tooMany).optional(),
    env: values,
    url: address,
    headers: values,
    warp_id: name,
  })
  .pipe(mcpServerConfigSchema);

/** Max characters of all MCP servers together, because every response with the run includes them. */
const maxServersCharacters = 256 * 1024;

/** Max total size of a run's attachments, in bytes. */
const maxAttachedBytes = 10 * 1024 * 1024;

const attachmentSchema = z.strictObject({
  file_name: text(255).min(1),
  mime_type: text(255),
  data: z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, { error: "isn't base64" }),
});

const attachmentsSchema = z
  .array(attachmentSchema)
  .max(maxAttachments, { error: `has more than ${maxAttachments} files` })
  .refine((all) => attachedBytes(all) <= maxAttachedBytes, {
    error: `has more than ${maxAttachedBytes / 1024 / 1024} MiB`,
  });

const attachedBytes = (all: readonly { data: string }[]) =>
  all.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0);

/** Lists the mistakes in limits that the client's schema doesn't describe. */
function* mistakesIn({ caps = [], ...given }: RunLimits): Iterable<[(string | number)[], string]> {
  const isNamed = given.person !== undefined || given.channel !== undefined;
  if (given.workspace === undefined && (isNamed || caps.some(({ group }) => group !== undefined)))
    yield [['workspace'], 'is required with a person, a channel or a group'];
  for (const [index, { scope, per, time_zone: timeZone, group }] of caps.entries()) {
    const at = (member: string) => ['caps', index, member];
    if ((scope === 'run') !== (per === 'run'))
      yield [at('per'), 'must be "run" for the scope "run", and only for it'];
    if ((scope === 'group') !== (group !== undefined))
      yield [at('group'), 'must be there for the scope "group", and only for it'];
    if (timeZone !== undefined && !isTimeZone(timeZone))
      yield [at('time_zone'), 'must be an IANA time zone, such as Europe/Berlin'];
    // A cap without its label would limit nothing.
    const label = scope === 'channel' || scope === 'workspace' ? scope : undefined;
    if (label !== undefined && given[label] === undefined)
      yield [at('scope'), `needs the member limits.${label}`];
  }
}

const limitsSchema = runLimitsSchema.superRefine((limits, context) => {
  for (const [path, message] of mistakesIn(limits))
    context.addIssue({ code: 'custom', path, message });
});

/** The only supported mode of runs and follow-ups. */
export const normalMode = z
  .literal('normal', { error: 'isn\'t supported, except "normal"' })
  .optional();
export const onlyFalse = z.literal(false, { error: "isn't supported, except false" }).optional();

/**
 * Schema of a create request. Rejects unknown members, because dropping one would start a different run. `mode`,
 * `interactive` and `team` only accept the value that this service supports.
 */
export const serviceCreateSchema = z.strictObject({
  ...createRunRequestSchema.shape,
  prompt: z.string().optional(),
  skill: name,
  title: name,
  conversation_id: name,
  attachments: attachmentsSchema.optional(),
  on_behalf_of: z.email({ error: "isn't an email address" }).max(254).optional(),
  config: z
    .strictObject({
      ...agentConfigSchema.shape,
      name,
      model_id: name,
      environment_id: name,
      skill_spec: name,
      base_prompt: text(maxPromptCharacters).optional(),
      mcp_servers: z
        .record(text(maxNameCharacters).min(1), mcpServerSchema)
        .refine(isWithinLimit, tooMany)
        .refine((servers) => JSON.stringify(servers).length <= maxServersCharacters, {
          error: `has more than ${maxServersCharacters} characters`,
        })
        .optional(),
    })
    .optional(),
  limits: limitsSchema.optional(),
  mode: normalMode,
  interactive: onlyFalse,
  team: onlyFalse,
});
/** Checked create request. `config.skill_spec` contains the skill, even if it was sent as `skill`. */
export type ServiceCreate = Omit<z.infer<typeof serviceCreateSchema>, 'skill' | 'prompt'> & {
  prompt: string;
};

/**
 * Reads and checks a request to create a run.
 * @throws ApiProblem that names every invalid member
 */
export function readCreate(body: unknown): ServiceCreate {
  const { skill, ...given } = readBody(serviceCreateSchema, body);
  const skill_spec = skill ?? given.config?.skill_spec;
  const prompt = given.prompt?.trim() ? given.prompt : promptFor(skill_spec);
  if (prompt === undefined)
    throw new ApiProblem('invalid_request', 'prompt: must not be empty without a skill');
  const characters = [...prompt].length;
  if (characters > maxPromptCharacters)
    throw new ApiProblem(
      'cannot_be_processed',
      `prompt: has ${characters} characters; the limit is ${maxPromptCharacters}`,
    );
  return {
    ...given,
    prompt,
    ...(skill !== undefined && { config: { ...given.config, skill_spec } }),
  };
}

/** Returns a prompt for a run that has only a skill, because agents need text to start with. */
export const promptFor = (skillSpec: string | undefined) =>
  skillSpec === undefined ? undefined : `Follow the skill ${skillSpec}.`;
