import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { type CommandTemplate, programOf } from '../harnesses/agent-command.ts';
import { relayInContainer } from './network/relay.ts';
import { runOnHost } from './run-on-host.ts';
import { runTool } from './run-tool.ts';
import { insideOf, type Sandbox, type SandboxTarget } from './sandbox.ts';

const containerName = (runId: string) => `slash-agent-${runId}`;

type ContainerTarget = SandboxTarget & { cwd: string; variables: Record<string, string> };

/** Variables that aren't passed on, because the container has its own programs. */
const hostOnlyVariables = ['PATH'];

/**
 * Returns the container program's arguments, which come before the command. A template part with `{variable}` is
 * repeated for each variable of the run, with the name only. The container program reads the value from its own
 * environment, so no secret is on a command line. A part with `{read_only}` is repeated for each readable folder, which
 * must have the same path in the container. A part with `{models_folder}` is left out if the run has no models.
 */
function containerArguments(template: CommandTemplate, target: ContainerTarget): string[] {
  const names = Object.keys(target.variables).filter((name) => !hostOnlyVariables.includes(name));
  const repeated = {
    '{variable}': names,
    '{read_only}': target.readOnly ?? [],
    '{models_folder}': target.modelsFolder === undefined ? [] : [target.modelsFolder],
  };
  const fill = (argument: string) =>
    argument
      .replaceAll('{container_name}', containerName(target.runId))
      .replaceAll('{work_dir}', insideOf(target))
      .replaceAll('{folder}', target.cwd)
      .replaceAll('{user}', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`);
  return template.flatMap((part) => {
    const group = withSource([part].flat(), target.folder);
    for (const [name, values] of Object.entries(repeated)) {
      if (!group.some((argument) => argument.includes(name))) continue;
      return values.flatMap((value) =>
        group.map((argument) => fill(argument.replaceAll(name, value))),
      );
    }
    return group.map(fill);
  });
}

const countFolderMentions = (group: string[]) => group.join(' ').split('{work_dir}').length - 1;

/**
 * Returns true if a template part mentions the folder twice: first its path on the machine, then in the container. Then
 * these paths can differ.
 */
export const mountsFolder = (template: CommandTemplate): boolean =>
  template.some((part) => countFolderMentions([part].flat()) > 1);

/** Replaces the first of two `{work_dir}` with the folder's path on the machine. */
function withSource(group: string[], folder: string): string[] {
  if (countFolderMentions(group) < 2) return group;
  const at = group.findIndex((argument) => argument.includes('{work_dir}'));
  return group.map((argument, index) =>
    index === at ? argument.replace('{work_dir}', () => folder) : argument,
  );
}

type ContainerEnvironment = Pick<ServiceEnvironment, 'container' | 'container_remove'>;

const removeTimeoutMs = 4_000;

/**
 * Removes the run's container with its processes, because killing the container program leaves them running. Returns
 * the reason if that fails.
 */
export async function removeContainer(
  { container, container_remove: remove }: ContainerEnvironment,
  runId: string,
  variables: Record<string, string>,
): Promise<string | undefined> {
  if (!container) return undefined;
  const name = containerName(runId);
  const usual = [programOf(container), 'rm', '--force', '{container_name}'];
  const command = (remove ?? usual).map((part) => part.replaceAll('{container_name}', name));
  const options = { cwd: '/', variables, timeoutMs: removeTimeoutMs };
  const { code, output } = await runTool(runOnHost, command, options);
  const isGone = code === 0 || (code !== undefined && /no such container/i.test(output));
  return isGone ? undefined : `Couldn't remove container ${name}: ${output}`;
}

/**
 * Creates a sandbox that runs commands with the operator's container program. Commands are ended by removing the
 * container, because signals don't reach them.
 */
export function containerSandbox(
  environment: ContainerEnvironment,
  template: CommandTemplate,
  { target, logger }: { target: SandboxTarget; logger: Logger },
): Sandbox {
  return {
    async run({ argv, ...command }) {
      const { variables, cwd } = command;
      const container = containerArguments(template, { ...target, cwd, variables });
      const relay = target.modelsFolder === undefined ? [] : relayInContainer;
      try {
        // Start the container program in `/`, because the command's folder may exist only in the container.
        return await runOnHost({ ...command, cwd: '/', argv: [...container, ...relay, ...argv] });
      } finally {
        const reason = await removeContainer(environment, target.runId, variables);
        if (reason !== undefined)
          logger.warn({ runId: target.runId, reason }, 'cannot remove a container');
      }
    },
  };
}
