import { basename } from 'node:path';
import { z } from 'zod';

const argv = z.array(z.string()).min(1, { error: 'needs at least the name of a program' });
export const commandSchema = z
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
  /** What its machines can reach, in words, for those who choose it: nothing here holds anybody to it. */
  network_note: z.string().optional(),
  repositories: z.array(repositorySchema).min(1),
  /**
   * The agent, as an argv array: it never goes through a shell. The prompt comes over stdin and as AGENT_PROMPT; an
   * argument may name values as in `{model}`, and an array of arguments is left out when one of its values is missing.
   */
  command: commandSchema,
  /** The known agent that the command is of. */
  harness: z.enum(['claude', 'codex', 'gemini', 'opencode']).optional(),
  /** For agents that know no base prompt: it is put before the prompt. */
  prepend_base_prompt: z.boolean().optional(),
  /** Commands that prepare the checkout, each an argv array. */
  setup: z.array(argv).optional(),
  /** Whether what they made is kept for later runs of the same commits; it is unless this is false. */
  cache_setup: z.boolean().optional(),
  variables: z.record(variableName, z.string()).optional(),
  /** Variables whose values are read from files when a run starts; they are never stored or shown. */
  secret_files: z.record(variableName, z.string()).optional(),
  /** A user, or `uid:gid`, that commands run as; only root can have others do its work. */
  user: z
    .string()
    .regex(/^([A-Za-z_][A-Za-z0-9_.-]*|\d+:\d+)$/)
    .optional(),
  /** For each process on its own. */
  memory_limit_mb: z.number().int().positive().optional(),
  /** What comes before the agent's command to have it run in a container; see `container.ts` for what it can name. */
  container: commandSchema.optional(),
  /** How a container is removed, in place of `<program> rm --force {container_name}`. */
  container_remove: argv.optional(),
  time_limit_seconds: z.number().positive().optional(),
  concurrency: z.number().int().positive().optional(),
  /** A run whose service was stopped or killed is begun anew, at most three times; otherwise it has failed. */
  restart: z.boolean().optional(),
  /** Taken when a request names no environment. */
  default: z.boolean().optional(),
});
export type ServiceEnvironment = z.infer<typeof serviceEnvironmentSchema>;

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

const namesSaid = 10;

/** Enough of them to see what was meant: a service may have hundreds. */
export function nameSome(ids: readonly string[]): string {
  const more = ids.length - namesSaid;
  return `${ids.slice(0, namesSaid).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Where the environments come from; what it gives may change while the service runs. */
export type EnvironmentSource = {
  current(): readonly ServiceEnvironment[];
  /** Why what it gives is not what is written there now. */
  problem(): string | undefined;
  /** Has the listener called after each change. */
  subscribe(listener: () => void): void;
};

/** Environments that are known when the service is made. */
export const fixedEnvironments = (all: readonly ServiceEnvironment[]): EnvironmentSource => ({
  current: () => all,
  problem: () => undefined,
  subscribe: () => undefined,
});
