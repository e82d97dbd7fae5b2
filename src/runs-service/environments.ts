import { readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ExplainedError } from '../lib/explained-error.ts';
import { harnesses } from './agent-command.ts';

const argv = z.array(z.string()).min(1, { error: 'needs at least the name of a program' });
const commandSchema = z
  .array(z.union([z.string(), argv]))
  .min(1, { error: 'needs at least the name of a program' });
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

const repositorySchema = z.strictObject({
  /** Anything that git clones: `https://…`, `git@…`, or a folder (relative to the environments file). */
  url: z.string().min(1),
  branch: z.string().min(1).optional(),
  /** `owner/repo` as skills name it; taken from the address unless given. */
  name: z
    .string()
    .regex(/^[\w.-]+\/[\w.-]+$/)
    .optional(),
});
export type Repository = z.infer<typeof repositorySchema>;

export const serviceEnvironmentSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  repositories: z.array(repositorySchema).min(1),
  /**
   * The agent, as an argv array: it never goes through a shell. The prompt comes over stdin and as AGENT_PROMPT; an
   * argument may name values as in `{model}`, and an array of arguments is left out when one of its values is missing.
   */
  command: commandSchema,
  /** For agents that know no base prompt: it is put before the prompt. */
  prepend_base_prompt: z.boolean().optional(),
  /** Commands that prepare the checkout, each an argv array. */
  setup: z.array(argv).optional(),
  variables: z.record(variableName, z.string()).optional(),
  /** Variables whose values are read from files when a run starts; they are never stored or shown. */
  secret_files: z.record(variableName, z.string()).optional(),
  time_limit_seconds: z.number().positive().optional(),
  concurrency: z.number().int().positive().optional(),
  /** A run whose service was stopped or killed is begun anew, at most three times; otherwise it has failed. */
  restart: z.boolean().optional(),
  /** Taken when a request names no environment. */
  default: z.boolean().optional(),
});
export type ServiceEnvironment = z.infer<typeof serviceEnvironmentSchema>;

/** In the file, `harness` names a known agent in place of `command`, and `arguments` are added to its command. */
const fileEnvironmentSchema = serviceEnvironmentSchema
  .extend({
    command: commandSchema.optional(),
    harness: z.enum(['claude', 'codex', 'gemini', 'opencode']).optional(),
    arguments: z.array(z.string()).optional(),
  })
  .transform(({ command, harness, arguments: added, ...rest }, context): ServiceEnvironment => {
    if ((command === undefined) === (harness === undefined))
      context.addIssue({ code: 'custom', message: 'needs either "command" or "harness"' });
    if (harness === undefined) return { ...rest, command: [...(command ?? []), ...(added ?? [])] };
    const known = harnesses[harness];
    return {
      ...rest,
      command: [...known.command.map(copied), ...(added ?? known.defaultArguments)],
      prepend_base_prompt: known.prependBasePrompt,
    };
  });

const copied = (part: string | readonly string[]) => (typeof part === 'string' ? part : [...part]);

const fileSchema = z
  .strictObject({ environments: z.array(fileEnvironmentSchema).min(1) })
  .superRefine(({ environments }, context) => {
    const ids = environments.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined)
      context.addIssue({ code: 'custom', message: `has the id "${twice}" twice` });
    if (environments.filter((environment) => environment.default).length > 1)
      context.addIssue({ code: 'custom', message: 'has more than one default environment' });
  });

/**
 * Reads and checks a file of environments, YAML or JSON.
 * @throws ExplainedError that names the file, the place in it and what is wrong there
 */
export function readEnvironments(file: string): ServiceEnvironment[] {
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExplainedError(`The environments file ${file} cannot be read: ${why}`, {
      cause: error,
    });
  }
  const read = fileSchema.safeParse(content);
  if (!read.success) {
    const issues = read.error.issues.map(
      ({ path, message }) => `  ${path.join('.') || 'the file'}: ${message}`,
    );
    throw new ExplainedError(`The environments file ${file} is not right:\n${issues.join('\n')}`);
  }
  const folder = dirname(resolve(file));
  return read.data.environments.map((environment) => ({
    ...environment,
    repositories: environment.repositories.map((repository) => ({
      ...repository,
      url: absoluteUrl(repository.url, folder),
    })),
    ...(environment.secret_files && {
      secret_files: Object.fromEntries(
        Object.entries(environment.secret_files).map(([name, path]) => [
          name,
          resolve(folder, path),
        ]),
      ),
    }),
  }));
}

function absoluteUrl(url: string, folder: string): string {
  const remote = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[^/]+@[^/]+:/.test(url);
  return remote || isAbsolute(url) ? url : resolve(folder, url);
}

/** `owner/repo` of a repository: its given name, else the last two parts of its address. */
export function repositoryName({ name, url }: Repository): string {
  if (name !== undefined) return name;
  const parts = url
    .replace(/\.git\/?$/, '')
    .split(/[/:]/)
    .filter(Boolean);
  return parts.slice(-2).join('/');
}

/** The folder of a repository in a run's work folder. */
export function repositoryFolder(repository: Repository): string {
  return basename(repositoryName(repository));
}

/** By id, or the default one: marked so, or the only one there is. */
export function findEnvironment(
  environments: readonly ServiceEnvironment[],
  id: string | undefined,
): ServiceEnvironment | undefined {
  if (id !== undefined) return environments.find((environment) => environment.id === id);
  const [only] = environments;
  return environments.length === 1 ? only : environments.find((each) => each.default);
}
