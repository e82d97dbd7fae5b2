import {
  agentConfigSchema,
  createRunRequestSchema,
  mcpServerConfigSchema,
} from 'runs-client/contract';
import { z } from 'zod';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';

export const maxPromptCharacters = 200_000;
/** Titles, names and ids are indexed; PostgreSQL takes up to about 2,700 bytes there. */
const maxNameCharacters = 500;
const maxAddressCharacters = 4_096;
/** One argument, variable or header. */
const maxValueCharacters = 32_768;
const maxEntries = 100;

const text = (maxCharacters: number) =>
  z.string().max(maxCharacters, { error: `is longer than ${maxCharacters} characters` });
const name = text(maxNameCharacters).optional();
const address = text(maxAddressCharacters).optional();
const value = text(maxValueCharacters);

const few = { error: `has more than ${maxEntries} entries` };
const isFew = (map: object) => Object.keys(map).length <= maxEntries;
const values = z.record(text(maxNameCharacters), value).refine(isFew, few).optional();

const mcpServerSchema = z
  .looseObject({
    ...mcpServerConfigSchema.shape,
    command: address,
    args: z.array(value).max(maxEntries, few).optional(),
    env: values,
    url: address,
    headers: values,
    warp_id: name,
  })
  .pipe(mcpServerConfigSchema);

/**
 * A create as this service takes it: every field has a limit, and a member that the service doesn't know is refused,
 * because the run would not be what was asked for. `mode` and `interactive` may say what the service does anyway.
 */
export const serviceCreateSchema = z.strictObject({
  ...createRunRequestSchema.shape,
  title: name,
  conversation_id: name,
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
        .refine(isFew, few)
        .optional(),
    })
    .optional(),
  mode: z.literal('normal', { error: 'is not supported, except "normal"' }).optional(),
  interactive: z.literal(false, { error: 'is not supported, except false' }).optional(),
});
export type ServiceCreate = z.infer<typeof serviceCreateSchema>;

/** @throws ApiProblem that names every part of the body that this service can't take */
export function readCreate(body: unknown): ServiceCreate {
  const request = readBody(serviceCreateSchema, body);
  const { prompt } = request;
  if (prompt.trim() === '') throw new ApiProblem('invalid_request', 'prompt: must not be empty');
  const characters = [...prompt].length;
  if (characters > maxPromptCharacters)
    throw new ApiProblem(
      'cannot_be_processed',
      `prompt: has ${characters} characters; the limit is ${maxPromptCharacters}`,
    );
  return request;
}
