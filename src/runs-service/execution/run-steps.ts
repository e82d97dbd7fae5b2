import { join } from 'node:path';
import type { AgentConfig } from 'runs-client/contract';
import { repositoryName } from '../environments/environments.ts';
import { type CommandValues, fillCommand } from '../harnesses/agent-command.ts';
import { isReachable, writeHarnessInput } from '../harnesses/harness-input.ts';
import type { Checkout } from './git/checkout.ts';
import { GitError } from './git/git.ts';
import { giveTo } from './processes/identity.ts';
import { type Going, runCommand, type StepTools } from './run-command.ts';
import { failed, isRunEnd, type RunEnd } from './run-end.ts';
import { placeVariables, writeFollowup, writeRunInput } from './run-input.ts';
import { setUp } from './set-up/set-up.ts';

/** @throws GitError with git's own words about the repository that could not be had */
export async function checkOutAll(tools: StepTools, going: Going): Promise<Checkout[]> {
  const { workDir, signal, environment } = going;
  const apart = going.identity !== undefined || environment.container !== undefined;
  const checkouts: Checkout[] = [];
  for (const repository of environment.repositories) {
    try {
      const observerDir = tools.files.observerDir(going.run.id);
      checkouts.push(
        await tools.checkouts.checkOut({ repository, workDir, observerDir, apart, signal }),
      );
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const name = repositoryName(repository);
      throw new GitError(`The repository ${name} could not be checked out.\n${error.message}`, {
        cause: error,
      });
    }
  }
  const commits = checkouts.map(({ folder, base }) => `${folder} at ${base.slice(0, 8)}`);
  await tools.note(going.run.id, `Checked out ${commits.join(', ')}`);
  return checkouts;
}

/** The configuration with the skill's text as its base prompt, before the one that was given; or why there is none. */
async function withSkill(tools: StepTools, going: Going): Promise<AgentConfig | RunEnd> {
  const { config, environment, signal } = going;
  if (config.skill_spec === undefined) return config;
  const found = await tools.skills.find(environment, config.skill_spec, signal);
  if ('known' in found)
    return failed(
      `The skill ${config.skill_spec} is not in the environment "${environment.id}". Skills there: ${found.known.join(', ') || 'none'}.`,
      { error_code: 'resource_not_found', retryable: false },
    );
  const texts = [found.skill.basePrompt, config.base_prompt];
  return { ...config, base_prompt: texts.filter(Boolean).join('\n\n') };
}

/** What a command can name, and the variables of its process; what was not asked for is absent. */
async function prepareInput(tools: StepTools, going: Going, config: AgentConfig) {
  const { environment, run, workDir } = going;
  const variables = await writeRunInput({ ...going, config, path: tools.path });
  const { AGENT_BASE_PROMPT_FILE: basePromptFile, AGENT_MCP_CONFIG_FILE: mcpFile } = variables;
  const servers = Object.entries(config.mcp_servers ?? {});
  const values: CommandValues = {
    run_id: run.id,
    ...(config.model_id !== undefined && { model: config.model_id }),
    ...(config.base_prompt !== undefined && { base_prompt: config.base_prompt }),
    ...(basePromptFile !== undefined && { base_prompt_file: basePromptFile }),
    ...(servers.length > 0 && mcpFile !== undefined && { mcp_config_file: mcpFile }),
  };
  if (environment.harness === undefined) return { variables, values };
  const folder = join(workDir, 'input');
  const own = await writeHarnessInput(environment.harness, { config, folder, variables });
  const shared = servers.filter(([, server]) => !isReachable(server)).map(([name]) => name);
  if (shared.length > 0)
    await tools.note(run.id, `MCP servers of another service were left out: ${shared.join(', ')}`);
  if (own.overridden.length > 0)
    await tools.note(
      run.id,
      `MCP servers that the environment has already were left out: ${own.overridden.join(', ')}`,
    );
  const { mcp_config_file: _, ...others } = values;
  return {
    variables: { ...variables, ...own.variables },
    values: { ...others, ...own.values },
  };
}

/** The agent's user owns what the agent works with, and nothing else in the work folder. */
async function handOver(
  tools: StepTools,
  { run, identity, signal }: Going,
  folders: readonly string[],
): Promise<void> {
  if (!identity) return;
  const variables = { PATH: tools.path, AGENT_RUN_ID: run.id };
  await giveTo(identity, folders, { variables, signal });
}

/** Prepares the checkout and runs the agent: once for the prompt, and once more for each follow-up. */
export async function runAgent(
  tools: StepTools,
  going: Going,
  checkouts: readonly Checkout[],
  isPristine: boolean,
): Promise<RunEnd> {
  const { run, environment, workDir } = going;
  const config = await withSkill(tools, going);
  if (isRunEnd(config)) return config;
  const { variables, values } = await prepareInput(tools, going, config);
  const folders = ['repo', 'input', 'home', 'tmp'].map((name) => join(workDir, name));
  await handOver(tools, going, folders);
  const [first] = checkouts;
  const cwd = checkouts.length === 1 && first ? first.dir : join(workDir, 'repo');
  const place = placeVariables({ ...going, path: tools.path });
  const unprepared = await setUp(tools, going, { checkouts, variables: place, cwd, isPristine });
  if (unprepared) return unprepared;
  const tell = (prompt: string, told: Record<string, string>) => {
    const withBase = environment.prepend_base_prompt ? [config.base_prompt, prompt] : [prompt];
    const input = withBase.filter(Boolean).join('\n\n');
    const { AGENT_PROMPT_FILE: prompt_file = '' } = told;
    const argv = fillCommand(environment.command, { ...values, prompt: input, prompt_file });
    return runCommand(tools, going, { what: 'The agent', argv, cwd, variables: told, input });
  };
  let failure = await tell(run.prompt, variables);
  while (!failure && !going.signal.aborted) {
    const message = await tools.takeFollowup(run.id, going.signal);
    if (message === undefined) break;
    await tools.note(run.id, 'The agent got a follow-up');
    const { folder, change } = await writeFollowup(message, workDir);
    await handOver(tools, going, [folder]);
    failure = await tell(message, change(variables));
  }
  return failure ?? { state: 'SUCCEEDED' };
}
