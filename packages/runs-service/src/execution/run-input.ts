import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ExplainedError } from 'base/explained-error';
import type { AgentConfig } from 'runs-client/contract';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { runTool } from '../sandbox/run-tool.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ExecutedRun } from '../store/runs.ts';
import type { NewRunFolder } from './files/run-folder.ts';

/** Max size of an environment variable, in bytes. Linux allows 128 KiB. Longer texts are only passed in files. */
const maxVariableBytes = 96 * 1024;

/** Returns the variables of every command of a run. With AGENT_RUN_ID, the service finds the run's processes. */
export function commandVariables(request: {
  run: ExecutedRun;
  environment: ServiceEnvironment;
  secrets: Record<string, string>;
  workDir: string;
  path: string;
}): Record<string, string> {
  const { run, environment, secrets, workDir, path } = request;
  return {
    PATH: path,
    HOME: join(workDir, 'home'),
    TMPDIR: join(workDir, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...environment.variables,
    ...secrets,
    AGENT_RUN_ID: run.id,
    AGENT_ENVIRONMENT_ID: run.environment_id,
  };
}

/**
 * Writes the input files of a run. Returns all variables of the agent's process, which doesn't inherit the service's
 * variables.
 */
export async function writeRunInput(request: {
  run: ExecutedRun;
  config: AgentConfig;
  environment: ServiceEnvironment;
  secrets: Record<string, string>;
  folder: NewRunFolder;
  workDir: string;
  path: string;
}): Promise<Record<string, string>> {
  const { run, config, folder, workDir } = request;
  const file = (name: string, content: string) => folder.write(`input/${name}`, content);
  const variables: Record<string, string | undefined> = {
    AGENT_CONVERSATION_ID: run.conversation_id,
    AGENT_TITLE: run.title,
    AGENT_PROMPT: run.prompt,
    AGENT_PROMPT_FILE: await file('prompt.txt', run.prompt),
    AGENT_CONFIG_NAME: config.name,
    AGENT_ARTIFACTS_DIR: join(workDir, 'artifacts'),
    AGENT_MODEL_ID: config.model_id,
    AGENT_SKILL: config.skill_spec,
    AGENT_BASE_PROMPT: config.base_prompt,
    AGENT_BASE_PROMPT_FILE:
      config.base_prompt === undefined
        ? undefined
        : await file('base-prompt.txt', config.base_prompt),
    AGENT_MCP_CONFIG_FILE: await file(
      'mcp-servers.json',
      JSON.stringify({ mcpServers: config.mcp_servers ?? {} }, null, 2),
    ),
  };
  return { ...commandVariables(request), ...withinLimit(variables) };
}

/**
 * Shell script that writes standard input to a new file without following links. Arguments: a new folder, and the
 * file's name in it.
 */
const writeFileScript = 'umask 077 && set -C && mkdir -- "$1" && cat > "$1/$2"';
const handInTimeoutMs = 60_000;

/**
 * Writes a follow-up to a file, through the sandbox because the agent may have changed the folder. Returns a function
 * that adds the follow-up to a set of variables.
 */
export async function writeFollowup(
  message: string,
  {
    sandbox,
    workDir,
    path,
    signal,
  }: { sandbox: Sandbox; workDir: string; path: string; signal: AbortSignal },
): Promise<(variables: Record<string, string>) => Record<string, string>> {
  const [folder, name] = [join(workDir, `followup-${randomUUID()}`), 'prompt.txt'];
  const { code, output } = await runTool(
    sandbox.run,
    ['sh', '-c', writeFileScript, 'sh', folder, name],
    {
      cwd: '/',
      variables: { PATH: path, LC_ALL: 'C' },
      timeoutMs: handInTimeoutMs,
      signal,
      input: Readable.from([message]),
    },
  );
  if (code !== 0 && !signal.aborted) throw new Error(`Couldn't write a follow-up: ${output}`);
  return ({ AGENT_PROMPT: _, ...others }) => ({
    ...others,
    ...withinLimit({
      AGENT_PROMPT: message,
      AGENT_PROMPT_FILE: join(folder, name),
      AGENT_FOLLOWUP: '1',
    }),
  });
}

function withinLimit(variables: Record<string, string | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && Buffer.byteLength(value) <= maxVariableBytes) kept[name] = value;
  }
  return kept;
}

/** Returns the values of the variables and headers of the request's MCP servers, because they usually contain keys. */
export function secretsOfServers({ mcp_servers: servers }: AgentConfig): string[] {
  return Object.values(servers ?? {}).flatMap(({ env, headers }) => [
    ...Object.values(env ?? {}),
    ...Object.values(headers ?? {}),
  ]);
}

/**
 * Reads the values of an environment's secrets.
 * @throws ExplainedError that names the secret if its file can't be read
 */
export async function readSecrets(
  environment: ServiceEnvironment,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = { ...environment.secrets };
  for (const [name, file] of Object.entries(environment.secret_files ?? {})) {
    try {
      secrets[name] = (await readFile(file, 'utf8')).trim();
    } catch (error) {
      const message = `Can't read the file of secret ${name} in environment "${environment.id}". Check "secret_files".`;
      throw new ExplainedError(message, { cause: error });
    }
  }
  return secrets;
}
