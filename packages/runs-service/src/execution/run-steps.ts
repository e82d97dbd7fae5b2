import { join } from 'node:path';
import type { AgentConfig, McpServerConfig } from 'runs-client/contract';
import { permissionsOf, repositoryName } from '../environments/environments.ts';
import { agentClientProtocol } from '../harnesses/acp/acp-session.ts';
import type { CommandValues } from '../harnesses/agent-command.ts';
import { commandLine } from '../harnesses/cli.ts';
import type { AgentContext, AgentSession } from '../harnesses/harness.ts';
import { isSupported, withAllowedServers, writeHarnessInput } from '../harnesses/harness-input.ts';
import { modelValues, usualModelVariables } from '../harnesses/model-input.ts';
import { createAskPerson } from './ask-person.ts';
import { writeAttachedFiles } from './files/attached-files.ts';
import { createOwnFiles } from './files/own-files.ts';
import type { Checkout } from './git/checkout.ts';
import { GitError } from './git/git.ts';
import {
  createConversation,
  restoreMemory,
  writeConversation,
} from './memory/continue-conversation.ts';
import { agentModels } from './model-access.ts';
import { createRedactor } from './output/redactor.ts';
import { runCommand } from './run-command.ts';
import type { NewRun, RunContext, StepDeps } from './run-context.ts';
import { failed, isRunEnd, overBudget, type RunEnd } from './run-end.ts';
import { commandVariables, writeFollowup, writeRunInput } from './run-input.ts';
import type { RunStore } from './run-store.ts';
import { setUp } from './setup/setup.ts';

/**
 * Checks out all repositories of the environment.
 * @throws GitError that names the repository if a checkout fails
 */
export async function checkOutAll(deps: StepDeps, context: NewRun): Promise<Checkout[]> {
  const { run, folder, signal, environment } = context;
  const checkouts: Checkout[] = [];
  for (const repository of environment.repositories) {
    try {
      checkouts.push(
        await deps.machine.checkouts.checkOut({ repository, runId: run.id, folder, signal }),
      );
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const name = repositoryName(repository);
      throw new GitError(`Couldn't check out repository ${name}.\n${error.message}`, {
        cause: error,
      });
    }
  }
  const commits = checkouts.map(({ folder, base }) => `${folder} at ${base.slice(0, 8)}`);
  await deps.store.note(run.id, `Checked out ${commits.join(', ')}`);
  return checkouts;
}

/**
 * Puts the requested skill's text before the base prompt. Returns the failed end of the run if there is no such skill.
 */
async function withSkill(deps: StepDeps, context: NewRun): Promise<AgentConfig | RunEnd> {
  const { config, environment, signal } = context;
  if (config.skill_spec === undefined) return config;
  const found = await deps.skills.find(environment, config.skill_spec, signal);
  if (!('skill' in found))
    return failed(
      `Environment "${environment.id}" has no skill ${config.skill_spec}. Choose one of its skills: ${found.skillIds.join(', ') || 'none'}.`,
      { error_code: 'resource_not_found', retryable: false },
    );
  const texts = [found.skill.basePrompt, config.base_prompt];
  return { ...config, base_prompt: texts.filter(Boolean).join('\n\n') };
}

type Servers = [name: string, server: McpServerConfig][];

/**
 * Writes the agent's input files. Returns the variables of the agent's process and the values for its command line. For
 * an ACP agent, also returns the MCP servers to pass to it.
 */
async function writeInput(deps: StepDeps, context: NewRun, requested: AgentConfig) {
  const { environment, run, folder } = context;
  const { config, denied } = withAllowedServers(requested, environment.mcp);
  if (denied.length > 0)
    await deps.store.note(
      run.id,
      `Skipped MCP servers that this environment doesn't allow: ${denied.join(', ')}`,
    );
  const { secrets, workDir } = context;
  const { path } = deps.machine;
  const models = context.models && agentModels(context.models);
  const input = { run, config, environment, secrets, folder, workDir, path };
  const variables = await writeRunInput(input);
  const { AGENT_BASE_PROMPT_FILE: basePromptFile, AGENT_MCP_CONFIG_FILE: mcpFile } = variables;
  const servers = Object.entries(config.mcp_servers ?? {});
  const values: CommandValues = {
    run_id: run.id,
    ...(config.model_id !== undefined && { model: config.model_id }),
    ...(config.base_prompt !== undefined && { base_prompt: config.base_prompt }),
    ...(basePromptFile !== undefined && { base_prompt_file: basePromptFile }),
    ...(servers.length > 0 && mcpFile !== undefined && { mcp_config_file: mcpFile }),
  };
  const unknown = {
    variables: { ...variables, ...(models && usualModelVariables(models, variables)) },
    values: { ...values, ...(models && modelValues(models)) },
  };
  if (environment.harness === undefined) return { ...unknown, servers: [] };
  if (environment.harness === 'acp') {
    const { mcp_config_file: _, ...own } = unknown.values;
    const all = await withoutShared(deps.store, run.id, servers);
    return { variables: unknown.variables, values: own, servers: all };
  }
  const own = createOwnFiles(deps.machine, context);
  const written = await writeHarnessInput(environment.harness, {
    config,
    folder,
    variables,
    own,
    models,
  });
  await withoutShared(deps.store, run.id, servers);
  if (written.overridden.length > 0)
    await deps.store.note(
      run.id,
      `Skipped MCP servers that the environment already has: ${written.overridden.join(', ')}`,
    );
  const { mcp_config_file: _, ...others } = values;
  return {
    variables: { ...variables, ...written.variables },
    values: { ...others, ...written.values },
    servers: [],
  };
}

/** Removes MCP servers that exist only in another service, and adds a note to the timeline. */
async function withoutShared(
  store: Pick<RunStore, 'note'>,
  runId: string,
  servers: Servers,
): Promise<Servers> {
  const shared = servers.filter(([, server]) => !isSupported(server)).map(([name]) => name);
  if (shared.length > 0)
    await store.note(runId, `Skipped MCP servers of another service: ${shared.join(', ')}`);
  return servers.filter(([name]) => !shared.includes(name));
}

/** Writes the agent's input before the first command runs. Returns the end of the run if that's impossible. */
export async function prepareRun(deps: StepDeps, context: NewRun) {
  const config = await withSkill(deps, context);
  if (isRunEnd(config)) return config;
  const { variables, ...input } = await writeInput(deps, context, config);
  const { prompt, images, ...attached } = await writeAttachedFiles(deps.store, context);
  const conversation = await writeConversation(context);
  const { prepend_base_prompt: isPrepended } = context.environment;
  return {
    ...input,
    variables: { ...variables, ...attached.variables, ...conversation },
    prompt: { text: prompt, images },
    basePrompt: isPrepended ? config.base_prompt : undefined,
  };
}
type PreparedRun = Exclude<Awaited<ReturnType<typeof prepareRun>>, RunEnd> & {
  checkouts: readonly Checkout[];
  isPristine: boolean;
};

/** Runs the setup, then the agent: once for the prompt, and again for each follow-up. */
export async function runAgent(
  deps: StepDeps,
  context: RunContext,
  { checkouts, isPristine, prompt, variables, ...input }: PreparedRun,
): Promise<RunEnd> {
  const { run, environment, workDir } = context;
  const [first] = checkouts;
  const cwd = checkouts.length === 1 && first ? first.dir : join(workDir, 'repo');
  const { path } = deps.machine;
  const { secrets } = context;
  const setupVariables = commandVariables({ run, environment, secrets, workDir, path });
  const setup = { checkouts, variables: setupVariables, cwd, isPristine };
  const setupFailure = await setUp(deps, context, setup);
  if (setupFailure) return setupFailure;
  await restoreMemory(deps, context);
  const people = createAskPerson(deps.store.questions, context);
  const session = openAgent(context, {
    command: environment.command,
    variables,
    cwd,
    ...input,
    run: (command) =>
      runCommand(deps, context, { what: 'The agent', isAgent: true, cwd, ...command }),
    ask: people.ask,
    note: (text) => deps.store.note(run.id, text),
    conversation: createConversation(deps, context),
  });
  try {
    let failure = await session.prompt({ ...prompt, variables });
    const stopReason = () => context.models?.stopReason();
    for (let followupNumber = 0; !failure && !context.signal.aborted; ) {
      if (stopReason() !== undefined) break;
      const followup = await deps.store.takeFollowup(run.id, followupNumber, context.signal);
      if (followup === undefined) break;
      const { message } = followup;
      followupNumber = followup.number;
      await deps.store.note(run.id, 'Sent a follow-up to the agent');
      failure = await session.prompt({
        text: message,
        variables: await variablesOf(path, context, { message, variables }),
      });
    }
    const stopped = stopReason();
    if (stopped !== undefined) return overBudget(stopped);
    return failure ?? { state: 'SUCCEEDED' };
  } finally {
    await session.close();
    await people.close();
  }
}

/**
 * Returns the agent's variables for a follow-up. An ACP agent keeps the variables of the first prompt, because it has
 * one process for all prompts.
 */
async function variablesOf(
  path: string,
  { environment, toolSandbox, workDir, signal }: RunContext,
  { message, variables }: { message: string; variables: Record<string, string> },
): Promise<Record<string, string>> {
  if (environment.harness === 'acp') return variables;
  const forFollowup = await writeFollowup(message, { sandbox: toolSandbox, workDir, path, signal });
  return forFollowup(variables);
}

function openAgent(
  { environment, hidden, signal }: RunContext,
  input: Omit<AgentContext, 'openMask' | 'mode' | 'permissions' | 'signal'>,
): AgentSession {
  const open = environment.harness === 'acp' ? agentClientProtocol : commandLine;
  return open({
    ...input,
    openMask: () => createRedactor(hidden),
    mode: environment.mode,
    permissions: permissionsOf(environment),
    signal,
  });
}
