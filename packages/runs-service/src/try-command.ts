import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from 'base/config/environment';
import { openDatabase } from 'base/database/database';
import { ExplainedError } from 'base/explained-error';
import type { Logger } from 'base/logger';
import { readArguments } from 'base/process/read-arguments';
import { readableText } from 'base/readable-text';
import { createEncryption } from 'base/secrets/encryption';
import { createRunsClient, type RunsClient } from 'runs-client';
import { type AgentConfig, isTerminalState, type Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import {
  findEnvironment,
  fixedEnvironments,
  listSome,
  type ServiceEnvironment,
} from './environments/environments.ts';
import { readEnvironments } from './environments/read-environments.ts';
import { defaultPath } from './execution/files/run-files.ts';
import { createTrash } from './sandbox/deletion/trash.ts';
import { createSandboxes } from './sandbox/sandboxes.ts';
import { createRunsService } from './service.ts';
import type { DatabaseSchema } from './store/schema.ts';
import { serviceTables } from './store/tables.ts';

export const usage = `Usage: slash-agent try <environments file> <prompt>
  Runs a prompt once and prints the answer. Nothing is kept.
    --environment <id>               if the file has several
    --model <id>`;

type TryOptions = {
  variables: Environment;
  /** Cancels the run when it aborts. */
  signal: AbortSignal;
  /** Prints the answer of the agent. */
  print: (text: string) => void;
  /** Prints states, tool calls, questions and problems of the run. */
  note: (line: string) => void;
  logger: Logger;
};

const keyBytes = 32;
const pollMs = 500;

/**
 * Executes one run in an environment, for `slash-agent try`. Starts a temporary service, and deletes its data
 * afterward.
 * @returns true if the run succeeded
 * @throws ExplainedError that says what is wrong with the arguments or the environments file
 */
export async function runTryCommand(
  args: readonly string[],
  options: TryOptions,
): Promise<boolean> {
  const { variables, signal, logger } = options;
  const { file, prompt, config } = parse(args);
  // Resolve the path from where the person started npm, because npm changes the working directory.
  const environments = readEnvironments(resolve(variables['INIT_CWD'] ?? '', file));
  const found = findEnvironment(environments, config.environment_id);
  if (!found) {
    const ids = listSome(environments.map(({ id }) => id));
    throw new ExplainedError(`Choose an environment with --environment <id>: ${ids}.`);
  }
  const { environment: readied, keys } = trial(found, variables);
  const dataDir = await mkdtemp(join(tmpdir(), 'slash-agent-try-'));
  const environment = await withKeyFiles(readied, keys, dataDir);
  const db = await openDatabase<DatabaseSchema>('sqlite::memory:', [serviceTables], {
    encryption: createEncryption(randomBytes(keyBytes)),
  });
  const key = randomBytes(keyBytes).toString('base64url');
  const creator = { type: 'user', uid: 'try', display_name: 'You' } as const;
  const service = createRunsService({
    db,
    logger,
    dataDir,
    path: variables['PATH'],
    allowRoot: variables['RUNS_SERVICE_ALLOW_ROOT'] === 'true',
    environments: fixedEnvironments([environment]),
    keys: [{ key, role: 'all', creator }],
    host: '127.0.0.1',
    port: 0,
  });
  let client: RunsClient | undefined;
  try {
    await service.start();
    client = createRunsClient({ baseUrl: service.apiUrl, apiKey: key });
    const run = await runOnce(client, { prompt, config, key }, options);
    return run.state === 'SUCCEEDED';
  } catch (error) {
    if (signal.aborted) {
      options.note('Canceled.');
      return false;
    }
    if (error instanceof RunsApiError)
      throw new ExplainedError(error.problem?.detail ?? error.message, { cause: error });
    throw error;
  } finally {
    await client?.close();
    await service.stop();
    await db.destroy();
    await removeAll(dataDir, environment, options);
  }
}

/**
 * Deletes the data folder. First deletes agents' files that the service hasn't deleted, because it stops without
 * waiting long.
 */
async function removeAll(
  dataDir: string,
  environment: ServiceEnvironment,
  { variables, note, logger }: TryOptions,
): Promise<void> {
  const path = variables['PATH'] ?? defaultPath;
  const trash = createTrash({
    dataDir,
    path,
    sandboxes: createSandboxes({ dataDir, path, logger }),
    logger,
  });
  await trash.empty(async () => environment);
  await trash.settle();
  if (await trash.isEmpty()) await rm(dataDir, { recursive: true, force: true });
  else note(`Couldn't delete everything that the agent wrote. It's in ${dataDir}.`);
}

function parse(args: readonly string[]) {
  const { positionals, values } = readArguments(args, usage, {
    environment: { type: 'string' },
    model: { type: 'string' },
  });
  const [file, prompt, ...others] = positionals;
  if (!file || !prompt || others.length > 0) throw new ExplainedError(usage);
  return { file, prompt, config: { environment_id: values.environment, model_id: values.model } };
}

/** Name of the variable that can replace the `key_file` of a model provider, such as `ANTHROPIC_API_KEY`. */
const keyVariableOf = (provider: string) =>
  `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/**
 * Returns the environment for a trial, which publishes and keeps nothing. Secrets without a saved file are read from
 * variables of the same name. So are keys of model providers, which are returned apart because no agent gets them.
 */
function trial(
  { publish: _, secret_files: files = {}, ...environment }: ServiceEnvironment,
  variables: Environment,
) {
  const readValue = (name: string, file: string) => {
    const value = variables[name];
    if (value) return value;
    throw new ExplainedError(`Set the variable ${name}, or save its value in ${file}.`);
  };
  const isSaved = ([, file]: [string, string]) => existsSync(file);
  const missing = Object.entries(files).filter((each) => !isSaved(each));
  const secrets = missing.map(([name, file]) => [name, readValue(name, file)] as const);
  const keys = (environment.providers ?? []).flatMap(({ name, key_file: file }) =>
    file === undefined || existsSync(file)
      ? []
      : [{ provider: name, value: readValue(keyVariableOf(name), file) }],
  );
  const trialEnvironment: ServiceEnvironment = {
    ...environment,
    cache_setup: false,
    conversation_days: 0,
    secret_files: Object.fromEntries(Object.entries(files).filter(isSaved)),
    secrets: Object.fromEntries(secrets),
  };
  return { environment: trialEnvironment, keys };
}

/** Saves keys of model providers in the service's folder, where no agent can read them. */
async function withKeyFiles(
  environment: ServiceEnvironment,
  keys: readonly { provider: string; value: string }[],
  folder: string,
): Promise<ServiceEnvironment> {
  const files = new Map(keys.map(({ provider }) => [provider, join(folder, `key-${provider}`)]));
  for (const { provider, value } of keys)
    await writeFile(files.get(provider) ?? '', value, { mode: 0o600 });
  const { providers } = environment;
  if (!providers) return environment;
  return {
    ...environment,
    providers: providers.map((provider) => {
      const file = files.get(provider.name);
      return file === undefined ? provider : { ...provider, key_file: file };
    }),
  };
}

type Trial = { prompt: string; config: AgentConfig; key: string };

async function runOnce(
  { runs, environments }: RunsClient,
  { prompt, config, key }: Trial,
  { signal, print, note }: TryOptions,
): Promise<Run> {
  const [environment] = (await environments.list()).environments;
  const printNote = (line: string) => note(`Environment "${environment?.uid}": ${line}`);
  if (environment?.config.warning) printNote(environment.config.warning);
  const { run_id: id } = await runs.create({ prompt, config }, { signal });
  const onChange = createRunPrinter({ print, note, key });
  const run = await runs.wait(id, { signal, onChange, pollMs });
  const reason = run.status_message?.message ?? '';
  const problems = run.state === 'SUCCEEDED' ? [] : String(environment?.problem ?? '').split('; ');
  for (const problem of problems) if (!reason.includes(problem)) printNote(problem);
  return run;
}

type PrinterOptions = {
  print: (text: string) => void;
  note: (line: string) => void;
  /** API key for signing in to the session page. */
  key: string;
};

/**
 * Creates a function that prints what is new after each change of a run. It prints states, tool calls, questions, and
 * at the end the answer.
 */
function createRunPrinter({ print, note, key }: PrinterOptions): (run: Run) => void {
  const printed = new Set<string>();
  /** Prints a line once. Removes terminal commands, because an agent's text can contain them. */
  function printOnce(line: string, about = line): void {
    if (printed.has(about)) return;
    printed.add(about);
    note(readableText(line));
  }

  return (run) => {
    const { state, status_message: status, agent_progress: progress } = run;
    if (run.session_link) printOnce(`Started. Session page: ${run.session_link}`, 'started');
    for (const { name, input, started_at: at } of progress?.tool_calls ?? [])
      printOnce(`- ${name} ${input ?? ''}`, `${at} ${name} ${input}`);
    const question = progress?.question;
    if (question) {
      const how = `Answer it on the session page. Sign in there with the key ${key}`;
      printOnce(`The agent asks: ${question.text}\n${how}`, question.id);
    }
    if (!isTerminalState(state)) return;
    const changes = progress?.changes;
    if (changes && changes.files > 0) {
      const files = `${changes.files} ${changes.files === 1 ? 'file' : 'files'}`;
      printOnce(`Changed ${files}, +${changes.insertions} −${changes.deletions}`);
    }
    const words = progress?.answer ?? status?.message ?? '';
    if (state === 'SUCCEEDED') print(readableText(words));
    else printOnce(`Failed: ${status?.message ?? 'the run has ended without a reason'}`);
  };
}
