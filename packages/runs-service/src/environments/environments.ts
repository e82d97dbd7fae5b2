import { basename } from 'node:path';
import { z } from 'zod';
import type { PermissionPolicy } from '../harnesses/harness.ts';
import { kubernetesConfigSchema } from './kubernetes-config.ts';
import { type FileCap, type ModelProvider, providerName } from './models-config.ts';
import { publishConfigSchema } from './publish-config.ts';

const nonEmpty = { error: 'must name a program' };
const argv = z.array(z.string()).min(1, nonEmpty);
export const commandSchema = z.array(z.union([z.string(), argv])).min(1, nonEmpty);
const absolutePath = z.string().regex(/^\/./, { error: 'must be an absolute path' });
const pathBelowHome = z.string().regex(/^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/, {
  error: 'must be a path below the home folder of the agent, such as .agent/sessions',
});
const positiveInteger = z.number().int().positive();
const domain = z.string().regex(/^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*)(:[1-9]\d{0,4})?$/, {
  error: 'must be a domain, such as example.com, *.example.com or example.com:8443',
});
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** Schema of the operator's commands for `runner: command`. The commands get JSON on stdin. */
const dispatchConfigSchema = z.strictObject({
  command: argv,
  /** Command that ends the run's process. It exits only after the process has ended. */
  cancel: argv.optional(),
  /** Settings for the scheduler, such as a queue. `command` and `cancel` get them unchanged. */
  hints: z.record(z.string(), z.unknown()).optional(),
  /** Max time that a remote run waits until it's started, in seconds. An hour by default. */
  start_seconds: z
    .number()
    .positive()
    .max(30 * 86_400)
    .optional(),
});

const repositorySchema = z.strictObject({
  /** URL that git clones, such as `https://…` or `git@…`, or a folder relative to the environments file. */
  url: z.string().min(1),
  branch: z.string().min(1).optional(),
  /** Name by which skills refer to the repository, as `owner/repo`. By default it's taken from the URL. */
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
  /**
   * Addresses that commands in bubblewrap can reach: none, all that the machine reaches, or these domains over HTTP. By
   * default they reach the internet over HTTP, but not this machine or its network.
   */
  network: z.union([z.enum(['none', 'all']), z.array(domain).min(1)]).optional(),
  /** Limits for each command in bubblewrap, see `limitArguments`. */
  limits: z
    .strictObject({
      memory_mb: positiveInteger,
      processes: positiveInteger,
      cpus: positiveInteger,
      disk_mb: positiveInteger,
    })
    .partial()
    .optional(),
  /** Description of the network for people who choose the environment. The service doesn't enforce it. */
  network_note: z.string().optional(),
  repositories: z.array(repositorySchema).min(1),
  /**
   * Command that starts the agent, as an argument list without a shell, see `fillCommand`. The prompt is on stdin and
   * in AGENT_PROMPT.
   */
  command: commandSchema,
  /** Name of a supported agent, or `acp` for a command that speaks the Agent Client Protocol (ACP). */
  harness: z.enum(['claude', 'codex', 'gemini', 'opencode', 'acp']).optional(),
  /** Answer to an agent that asks before it uses a tool, see `permissionsOf`. */
  permissions: z.enum(['allow', 'ask', 'deny']).optional(),
  /** Tools that are always allowed, by kind, name or title. */
  allow_tools: z.array(z.string().min(1)).optional(),
  /** Time that a question to people stays open, in seconds. 30 minutes by default. */
  question_seconds: z
    .number()
    .positive()
    .max(7 * 86_400)
    .optional(),
  /** Session mode that an ACP agent starts in. */
  mode: z.string().min(1).optional(),
  /** MCP servers that a request can add, see `withAllowedServers`. By default only servers with a URL. */
  mcp: z.enum(['none', 'urls', 'any']).optional(),
  /**
   * True if the run's base prompt is put at the start of its prompt. Meant for agents without an option for base
   * prompts.
   */
  prepend_base_prompt: z.boolean().optional(),
  /** Commands that prepare the checkout, each an argv array. */
  setup: z.array(argv).optional(),
  /** True if later runs of the same commits reuse the result of `setup`. The default is true. */
  cache_setup: z.boolean().optional(),
  variables: z.record(variableName, z.string()).optional(),
  /** Files that contain the values of secret variables. Read when a run starts, never stored or shown. */
  secret_files: z.record(variableName, z.string()).optional(),
  /** Names of the providers in `models` that the agent can use through the model gateway. */
  models: z.array(providerName).min(1).optional(),
  /** Runner that executes the runs, see `runnerOf`. */
  runner: z.enum(['local', 'command', 'kubernetes']).optional(),
  dispatch: dispatchConfigSchema.optional(),
  /** Kind of sandbox, see `isolationOf`. With `external`, the remote machine, container or pod isolates the run. */
  isolation: z.enum(['bubblewrap', 'container', 'external', 'none']).optional(),
  /** Folders that bubblewrap shows to commands in addition to the system's programs. */
  read_only: z.array(absolutePath).optional(),
  writable: z.array(absolutePath).optional(),
  /** Arguments to put before the agent's command, so that it runs in a container. See `inContainer`. */
  container: commandSchema.optional(),
  /** Command that removes the container. By default `<program> rm --force {container_name}`. */
  container_remove: argv.optional(),
  /** Number of days that the agent's memory of a conversation is kept. 7 by default, 0 for never. */
  conversation_days: z.number().int().nonnegative().optional(),
  /** Paths to keep below the agent's home, for agents whose session files aren't known. See `sessionFiles`. */
  keep: z.array(pathBelowHome).min(1).optional(),
  time_limit_seconds: z.number().positive().optional(),
  concurrency: z.number().int().positive().optional(),
  /**
   * True if a run is restarted after a stop or crash of the service interrupted it. After crashes, it's restarted at
   * most three times.
   */
  restart: z.boolean().optional(),
  /** Settings of the runs' pods, for `runner: kubernetes`. */
  kubernetes: kubernetesConfigSchema.optional(),
  publish: publishConfigSchema.optional(),
  /** True for the environment that is used by requests without an environment. */
  default: z.boolean().optional(),
});
export type ServiceEnvironment = z.infer<typeof serviceEnvironmentSchema> & {
  /** True for slash-agent's own agent, which is trusted without a sandbox. */
  isBuiltIn?: true;
  /** Values of secrets that aren't in a file. `run-one` receives them together with its run. */
  secrets?: Record<string, string>;
  /** The providers that `models` names. */
  providers?: readonly ModelProvider[];
  /** The file's caps that apply to this environment, and the time zone in which their periods start. */
  caps?: readonly FileCap[];
  timeZone?: string;
};

export const defaultTimeLimitSeconds = 30 * 60;
const defaultQuestionSeconds = 30 * 60;

/** Returns how long a question to people stays open, in seconds. */
export const questionSecondsOf = ({
  question_seconds: seconds = defaultQuestionSeconds,
}: Pick<ServiceEnvironment, 'question_seconds'>): number => seconds;

type Isolation = NonNullable<ServiceEnvironment['isolation']>;

/** Returns the runner: this machine, an operator's command, or Kubernetes. */
export const runnerOf = ({ runner }: Pick<ServiceEnvironment, 'runner'>) => runner ?? 'local';

/** Returns the kind of sandbox. `none` applies only if the operator set it. A pod is its own sandbox. */
export function isolationOf({
  isolation,
  container,
  runner,
}: Pick<ServiceEnvironment, 'isolation' | 'container' | 'runner'>): Isolation {
  if (isolation !== undefined) return isolation;
  if (container) return 'container';
  return runner === 'kubernetes' ? 'external' : 'bubblewrap';
}

/** Tools that agents without a sandbox can use. They can change files, but can't run programs. */
const carefulTools = ['read', 'search', 'think', 'edit'];

/**
 * Returns how the agent's permission requests are answered. In a sandbox, all tools are allowed by default, because no
 * one may be there to answer.
 */
export function permissionsOf(environment: ServiceEnvironment): PermissionPolicy {
  const hasSandbox = isolationOf(environment) !== 'none';
  return {
    mode: environment.permissions ?? (hasSandbox ? 'allow' : 'deny'),
    tools: environment.allow_tools ?? (hasSandbox ? [] : carefulTools),
  };
}

/** Returns a warning for people who choose an environment. Returns undefined if the environment has a sandbox. */
export const isolationWarning = (environment: ServiceEnvironment): string | undefined =>
  isolationOf(environment) === 'none' && !environment.isBuiltIn
    ? 'Agents run without a sandbox: they can reach what the runs service can.'
    : undefined;

/** Returns `owner/repo`: the configured name, or the last two parts of the URL. */
export function repositoryName({ name, url }: Repository): string {
  if (name !== undefined) return name;
  const parts = url
    .replace(/\.git\/?$/, '')
    .split(/[/:]/)
    .filter(Boolean);
  return parts.slice(-2).join('/');
}

/** Returns the name of the repository's folder in the run's work folder. */
export function repositoryFolder(repository: Repository): string {
  return basename(repositoryName(repository));
}

/** Finds an environment by its ID. Without an ID, returns the default or only environment. */
export function findEnvironment(
  environments: readonly ServiceEnvironment[],
  id: string | undefined,
): ServiceEnvironment | undefined {
  if (id !== undefined) return environments.find((environment) => environment.id === id);
  const [only] = environments;
  return environments.length === 1 ? only : environments.find((each) => each.default);
}

const maxNamed = 10;

/** Returns the first few IDs as text for a message, because a service can have hundreds of environments. */
export function listSome(ids: readonly string[]): string {
  const more = ids.length - maxNamed;
  return `${ids.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Environments that can change while the service runs. */
export type EnvironmentSource = {
  current(): readonly ServiceEnvironment[];
  /** Returns the reason why the current environments are outdated, if they are. */
  problem(): string | undefined;
  /** Calls the listener after each change. */
  subscribe(listener: () => void): void;
};

export const fixedEnvironments = (all: readonly ServiceEnvironment[]): EnvironmentSource => ({
  current: () => all,
  problem: () => undefined,
  subscribe: () => undefined,
});
