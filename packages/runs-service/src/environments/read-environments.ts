import { dirname, isAbsolute, resolve } from 'node:path';
import { readYamlFile } from 'base/files/read-yaml-file';
import { isTimeZone } from 'base/time/local-time';
import { z } from 'zod';
import { harnesses } from '../harnesses/agent-command.ts';
import {
  commandSchema,
  isolationOf,
  repositoryFolder,
  type ServiceEnvironment,
  serviceEnvironmentSchema,
} from './environments.ts';
import { modelMistakes } from './model-mistakes.ts';
import {
  fileCapSchema,
  type ModelProvider,
  providerName,
  providerSchema,
} from './models-config.ts';
import { withAbsolutePaths } from './publish-config.ts';

/**
 * Schema of an environment in the file. A `harness` replaces `command`, and `arguments` are appended to the command.
 */
const fileEnvironmentSchema = serviceEnvironmentSchema
  .extend({
    command: commandSchema.optional(),
    arguments: z.array(z.string()).optional(),
  })
  .superRefine(({ container, container_remove: remove, isolation, ...environment }, context) => {
    const reject = (message: string) => context.addIssue({ code: 'custom', message });
    const { mode, token_file: token, app } = environment.publish ?? {};
    if (token !== undefined && app)
      reject('"token_file" and "app" of "publish" can\'t both be set');
    const folders = environment.repositories.map(repositoryFolder);
    const twice = folders.find((folder, index) => folders.indexOf(folder) !== index);
    if (twice !== undefined)
      reject(`has two repositories for the folder "${twice}"; give one of them another "name"`);
    if (mode !== undefined && mode !== 'none' && environment.repositories.length > 1)
      reject('"publish" needs an environment with one repository');
    if (isolation === 'none')
      for (const name of ['network', 'limits'] as const)
        if (environment[name] !== undefined)
          reject(`"${name}" needs a sandbox; remove "isolation: none"`);
    for (const mistake of runnerMistakes({ ...environment, container, isolation })) reject(mistake);
    const names = (name: string) => container?.flat().some((part) => part.includes(`{${name}}`));
    if (!container) {
      if (isolation === 'container') reject('"isolation: container" needs "container"');
      if (remove) reject('"container_remove" needs "container"');
      return;
    }
    if (isolation !== undefined && isolation !== 'container')
      reject(`"isolation: ${isolation}" and "container" can't both be set`);
    for (const name of ['container_name', 'work_dir', 'read_only', 'variable'])
      if (!names(name)) reject(`"container" must contain {${name}}`);
    if (environment.models && !names('models_folder'))
      reject('"container" must contain {models_folder}, because the environment has "models"');
    for (const name of ['read_only', 'writable', 'network', 'limits'] as const)
      if (environment[name] !== undefined)
        reject(`"${name}" doesn't apply to containers; add options of its program to "container"`);
  })
  .transform(({ command, harness, arguments: added, ...rest }, context): ServiceEnvironment => {
    const reject = (message: string) => context.addIssue({ code: 'custom', message });
    const argv = [...(command ?? []), ...(added ?? [])];
    if (harness === 'acp') {
      if (command === undefined) reject('"harness: acp" needs "command"');
      return { ...rest, harness, command: argv, prepend_base_prompt: true };
    }
    for (const name of ['permissions', 'allow_tools', 'question_seconds', 'mode'] as const)
      if (rest[name] !== undefined) reject(`"${name}" needs "harness: acp"`);
    if ((command === undefined) === (harness === undefined))
      reject('must have either "command" or "harness"');
    if (harness === undefined) return { ...rest, command: argv };
    if (rest.keep)
      reject(`"keep" doesn't apply to "harness: ${harness}", whose session files are known`);
    const agent = harnesses[harness];
    const isCareful = isolationOf(rest) === 'none';
    const defaults = isCareful ? agent.carefulArguments : agent.sandboxedArguments;
    return {
      ...rest,
      harness,
      command: [...agent.command.map(copied), ...(added ?? defaults), ...agent.resume.map(copied)],
      // Put the base prompt at the start of the prompt. Claude and Codex ignore a changed base prompt when they
      // continue a session.
      prepend_base_prompt: true,
    };
  });

type RunnerSettings = Pick<
  ServiceEnvironment,
  | 'runner'
  | 'dispatch'
  | 'kubernetes'
  | 'isolation'
  | 'container'
  | 'network'
  | 'limits'
  | 'read_only'
  | 'writable'
>;

function runnerMistakes(environment: RunnerSettings): string[] {
  const { runner = 'local', dispatch, kubernetes, isolation } = environment;
  const mistakes: string[] = [];
  if (runner === 'command' && !dispatch) mistakes.push('"runner: command" needs "dispatch"');
  if (runner !== 'command' && dispatch) mistakes.push('"dispatch" needs "runner: command"');
  if (runner === 'kubernetes' && !kubernetes)
    mistakes.push('"runner: kubernetes" needs "kubernetes" with an image');
  if (runner !== 'kubernetes' && kubernetes)
    mistakes.push('"kubernetes" needs "runner: kubernetes"');
  if (runner === 'local' && isolation === 'external')
    mistakes.push('"isolation: external" needs "runner: command" or "runner: kubernetes"');
  if (runner === 'kubernetes' && isolation !== undefined && isolation !== 'external')
    mistakes.push(`"isolation: ${isolation}" doesn't apply to "runner: kubernetes"`);
  if (isolationOf(environment) !== 'external') return mistakes;
  const ofSandboxes = ['container', 'network', 'limits', 'read_only', 'writable'] as const;
  const wrong = ofSandboxes.filter((name) => environment[name] !== undefined);
  return [...mistakes, ...wrong.map((name) => `"${name}" needs a sandbox of the service`)];
}

const copied = (part: string | readonly string[]) => (typeof part === 'string' ? part : [...part]);

const timeZoneSchema = z.string().refine(isTimeZone, {
  error: 'must be an IANA time zone, such as Europe/Berlin',
});

const fileSchema = z
  .strictObject({
    environments: z.array(fileEnvironmentSchema).min(1),
    /** Model providers by name, see the model gateway. */
    models: z.record(providerName, providerSchema).optional(),
    caps: z.array(fileCapSchema).max(100).optional(),
    /** Time zone in which the periods of caps start. UTC by default. */
    time_zone: timeZoneSchema.optional(),
  })
  .superRefine(({ environments, models = {}, caps = [] }, context) => {
    for (const environment of environments)
      for (const mistake of modelMistakes(environment, models))
        context.addIssue({
          code: 'custom',
          message: `has the environment "${environment.id}" ${mistake}`,
        });
    for (const id of caps.flatMap((cap) => cap.environments ?? []))
      if (!environments.some((environment) => environment.id === id))
        context.addIssue({
          code: 'custom',
          message: `has a cap for an unknown environment "${id}"`,
        });
    const ids = environments.map(({ id }) => id);
    const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
    if (duplicate !== undefined)
      context.addIssue({ code: 'custom', message: `has the id "${duplicate}" twice` });
    if (environments.filter((environment) => environment.default).length > 1)
      context.addIssue({ code: 'custom', message: 'has more than one default environment' });
  });

/**
 * Reads a YAML or JSON file of environments.
 * @throws ExplainedError that names the file, the line and the mistake
 */
export function readEnvironments(file: string): ServiceEnvironment[] {
  const { environments, models, caps, time_zone } = readYamlFile(
    file,
    'environments file',
    fileSchema,
  );
  const folder = dirname(resolve(file));
  return environments.map((environment) => ({
    ...environment,
    ...(environment.models && {
      providers: environment.models.map((name) => readProvider(name, models?.[name], folder)),
    }),
    ...(caps && {
      caps: caps.filter(
        ({ environments: ids }) => ids === undefined || ids.includes(environment.id),
      ),
      timeZone: time_zone ?? 'UTC',
    }),
    repositories: environment.repositories.map((repository) => ({
      ...repository,
      url: absoluteUrl(repository.url, folder),
    })),
    ...(environment.dispatch && { dispatch: withPrograms(environment.dispatch, folder) }),
    ...(environment.publish && {
      publish: withAbsolutePaths(environment.publish, (path) => resolve(folder, path)),
    }),
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

function readProvider(
  name: string,
  provider: z.infer<typeof providerSchema> | undefined,
  folder: string,
): ModelProvider {
  if (!provider) throw new Error(`No model provider is named "${name}".`);
  const { key_file: file, ...rest } = provider;
  return { ...rest, name, ...(file !== undefined && { key_file: resolve(folder, file) }) };
}

type DispatchConfig = NonNullable<ServiceEnvironment['dispatch']>;

function withPrograms(
  { command, cancel, ...rest }: DispatchConfig,
  folder: string,
): DispatchConfig {
  const absolute = ([program = '', ...args]: readonly string[]) => [
    program.includes('/') ? resolve(folder, program) : program,
    ...args,
  ];
  return { ...rest, command: absolute(command), ...(cancel && { cancel: absolute(cancel) }) };
}

function absoluteUrl(url: string, folder: string): string {
  const remote = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[^/]+@[^/]+:/.test(url);
  return remote || isAbsolute(url) ? url : resolve(folder, url);
}
