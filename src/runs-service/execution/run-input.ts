import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfig } from 'runs-client/contract';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { ExecutedRun } from './executed-run.ts';
import { addFolder } from './files/add-folder.ts';

/** Linux allows 128 KiB for one variable. Longer texts are only in files. */
const maxVariableBytes = 96 * 1024;

/** The variables of every command of a run. AGENT_RUN_ID also marks its processes. */
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

/** Writes the input files. Returns all variables of the agent's process, with none of the service's own. */
export async function writeRunInput(request: {
  run: ExecutedRun;
  config: AgentConfig;
  environment: ServiceEnvironment;
  secrets: Record<string, string>;
  workDir: string;
  path: string;
}): Promise<Record<string, string>> {
  const { run, config, workDir } = request;
  const folder = (name: string) => join(workDir, name);
  for (const name of ['input', 'home', 'tmp', 'artifacts'])
    await mkdir(folder(name), { recursive: true });
  const file = async (name: string, content: string) => {
    await writeFile(join(workDir, 'input', name), content, { mode: 0o600 });
    return join(workDir, 'input', name);
  };
  const variables: Record<string, string | undefined> = {
    AGENT_CONVERSATION_ID: run.conversation_id,
    AGENT_TITLE: run.title,
    AGENT_PROMPT: run.prompt,
    AGENT_PROMPT_FILE: await file('prompt.txt', run.prompt),
    AGENT_CONFIG_NAME: config.name,
    AGENT_ARTIFACTS_DIR: folder('artifacts'),
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

/** Writes a follow-up to a file. Returns a function that sets the variables for it. */
export async function writeFollowup(
  message: string,
  workDir: string,
): Promise<(variables: Record<string, string>) => Record<string, string>> {
  const name = 'prompt.txt';
  const folder = await addFolder(workDir, 'followup', (hidden) =>
    writeFile(join(hidden, name), message, { mode: 0o600 }),
  );
  const file = join(folder, name);
  return ({ AGENT_PROMPT: _, ...others }) => ({
    ...others,
    ...withinLimit({ AGENT_PROMPT: message, AGENT_PROMPT_FILE: file, AGENT_FOLLOWUP: '1' }),
  });
}

function withinLimit(variables: Record<string, string | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && Buffer.byteLength(value) <= maxVariableBytes) kept[name] = value;
  }
  return kept;
}

/** Variables and headers of the request's MCP servers, which usually hold keys. */
export function secretsOfServers({ mcp_servers: servers }: AgentConfig): string[] {
  return Object.values(servers ?? {}).flatMap(({ env, headers }) => [
    ...Object.values(env ?? {}),
    ...Object.values(headers ?? {}),
  ]);
}

/**
 * Reads the values of an environment's secrets.
 * @throws ExplainedError that names the secret
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
