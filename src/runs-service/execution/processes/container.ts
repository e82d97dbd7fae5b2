import type { ServiceEnvironment } from '../../environments/environments.ts';
import { type CommandTemplate, programOf } from '../../harnesses/agent-command.ts';
import { lastLines } from '../output/last-lines.ts';
import { createOutputTail } from '../output/output-tail.ts';
import { runInGroup } from './process-group.ts';

/** One at a time for each run. */
export const containerName = (runId: string) => `slash-agent-${runId}`;

export type ContainerPlace = {
  name: string;
  /** Everything of the run; to be mounted at the same path, so that what the agent is told about files is true. */
  workDir: string;
  cwd: string;
  variables: Record<string, string>;
};

/** The container has programs of its own. */
const notHandedIn = ['PATH'];

/**
 * The arguments before the agent's command. A part that names `{variable}` is repeated for each variable of the run: by
 * name only, so that the container program takes the value from its own environment and no secret is on a command line.
 */
export function inContainer(template: CommandTemplate, place: ContainerPlace): string[] {
  const names = Object.keys(place.variables).filter((name) => !notHandedIn.includes(name));
  const fill = (argument: string, variable = '') =>
    argument
      .replaceAll('{container_name}', place.name)
      .replaceAll('{work_dir}', place.workDir)
      .replaceAll('{folder}', place.cwd)
      .replaceAll('{user}', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
      .replaceAll('{variable}', variable);
  return template.flatMap((part) => {
    const group = [part].flat();
    const repeated = group.some((argument) => argument.includes('{variable}'));
    if (!repeated) return group.map((argument) => fill(argument));
    return names.flatMap((name) => group.map((argument) => fill(argument, name)));
  });
}

const removalMs = 4_000;

/**
 * Removes the container of a run with all that runs in it. Ending the container program does not: once killed, it leaves
 * its container behind. Gives a line for the timeline when that could not be done.
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
  const said = createOutputTail(4_096);
  const end = await runInGroup({
    command,
    variables,
    cwd: '/',
    onOutput: (chunk) => said.push(chunk),
    timeoutMs: removalMs,
    graceMs: 500,
    signal: new AbortController().signal,
  });
  const words = lastLines(said.text(), { lines: 2, characters: 300 });
  const isGone = end.how === 'exited' && (end.code === 0 || /no such container/i.test(words));
  return isGone ? undefined : `The container ${name} could not be removed: ${words || end.how}`;
}
