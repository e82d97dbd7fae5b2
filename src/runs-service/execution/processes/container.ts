import type { ServiceEnvironment } from '../../environments/environments.ts';
import { type CommandTemplate, programOf } from '../../harnesses/agent-command.ts';
import { runTool } from './run-tool.ts';

export const containerName = (runId: string) => `slash-agent-${runId}`;

export type ContainerPlace = {
  name: string;
  /** Has to be mounted at the same path, because variables and files name it. */
  workDir: string;
  cwd: string;
  variables: Record<string, string>;
};

/** The container has its own programs. */
const hostOnlyVariables = ['PATH'];

/**
 * The arguments before the agent's command. A part with `{variable}` is repeated for each variable of the run, by name
 * only: the container program reads the value from its own environment, so no secret is on a command line.
 */
export function inContainer(template: CommandTemplate, place: ContainerPlace): string[] {
  const names = Object.keys(place.variables).filter((name) => !hostOnlyVariables.includes(name));
  const fill = (argument: string, variable = '') =>
    argument
      .replaceAll('{container_name}', place.name)
      .replaceAll('{work_dir}', place.workDir)
      .replaceAll('{folder}', place.cwd)
      .replaceAll('{user}', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
      .replaceAll('{variable}', variable);
  return template.flatMap((part) => {
    const group = [part].flat();
    const isRepeated = group.some((argument) => argument.includes('{variable}'));
    if (!isRepeated) return group.map((argument) => fill(argument));
    return names.flatMap((name) => group.map((argument) => fill(argument, name)));
  });
}

const removeTimeoutMs = 4_000;

/**
 * Removes the run's container with everything that runs in it, which killing the container program doesn't do. Returns
 * a line for the timeline if that failed.
 */
export async function removeContainer(
  { container, container_remove: given }: ServiceEnvironment,
  runId: string,
  variables: Record<string, string>,
): Promise<string | undefined> {
  if (!container) return undefined;
  const name = containerName(runId);
  const usual = [programOf(container), 'rm', '--force', '{container_name}'];
  const command = (given ?? usual).map((part) => part.replaceAll('{container_name}', name));
  const { code, words } = await runTool(command, { variables, timeoutMs: removeTimeoutMs });
  const isGone = code === 0 || (code !== undefined && /no such container/i.test(words));
  return isGone ? undefined : `Couldn't remove container ${name}: ${words}`;
}
