import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfig } from 'runs-client/contract';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';

/** Linux takes at most 128 KiB for one variable; longer texts are only in their files. */
const longestVariableBytes = 96 * 1024;

/** What every command of a run gets; AGENT_RUN_ID also marks its processes. */
export function placeVariables(request: {
  run: ServiceRun;
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
 * Writes what the agent is told into files, and makes the whole environment of its process: an allow-list, never the
 * service's own variables.
 */
export async function writeRunInput(request: {
  run: ServiceRun;
  config: AgentConfig;
  environment: ServiceEnvironment;
  secrets: Record<string, string>;
  workDir: string;
  path: string;
}): Promise<Record<string, string>> {
  const { run, config, workDir } = request;
  const folder = (name: string) => join(workDir, name);
  for (const name of ['input', 'home', 'tmp']) await mkdir(folder(name), { recursive: true });
  const file = async (name: string, content: string) => {
    await writeFile(join(workDir, 'input', name), content, { mode: 0o600 });
    return join(workDir, 'input', name);
  };
  const told: Record<string, string | undefined> = {
    AGENT_CONVERSATION_ID: run.conversation_id,
    AGENT_TITLE: run.title,
    AGENT_PROMPT: run.prompt,
    AGENT_PROMPT_FILE: await file('prompt.txt', run.prompt),
    AGENT_CONFIG_NAME: config.name,
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
  return { ...placeVariables(request), ...fitting(told) };
}

/**
 * What changes in the variables of an agent's process when it gets a follow-up. The file is a new one in a new folder:
 * what the agent has put in the place of the first one, a link for instance, is never written to.
 */
export async function writeFollowup(
  message: string,
  workDir: string,
): Promise<{ folder: string; change(variables: Record<string, string>): Record<string, string> }> {
  const folder = await mkdtemp(join(workDir, 'followup-'));
  const file = join(folder, 'prompt.txt');
  await writeFile(file, message, { mode: 0o600 });
  return {
    folder,
    change: ({ AGENT_PROMPT: _, ...others }) => ({
      ...others,
      ...fitting({ AGENT_PROMPT: message, AGENT_PROMPT_FILE: file, AGENT_FOLLOWUP: '1' }),
    }),
  };
}

function fitting(variables: Record<string, string | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && Buffer.byteLength(value) <= longestVariableBytes) kept[name] = value;
  }
  return kept;
}

/** What a request gives its MCP servers to identify themselves with. */
export function secretsOfServers({ mcp_servers: servers }: AgentConfig): string[] {
  return Object.values(servers ?? {}).flatMap(({ env, headers }) => [
    ...Object.values(env ?? {}),
    ...Object.values(headers ?? {}),
  ]);
}

/**
 * The values of an environment's secrets, read anew for each run.
 * @throws ExplainedError that names the secret whose file cannot be read
 */
export async function readSecrets(
  environment: ServiceEnvironment,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const [name, file] of Object.entries(environment.secret_files ?? {})) {
    try {
      secrets[name] = (await readFile(file, 'utf8')).trim();
    } catch (error) {
      const why = `The file of the secret ${name} of environment "${environment.id}" cannot be read.`;
      throw new ExplainedError(why, { cause: error });
    }
  }
  return secrets;
}
