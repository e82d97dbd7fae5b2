import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isolationOf, type ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled, programOf } from '../harnesses/agent-command.ts';
import { type Cgroups, limitPrograms } from './command-limits.ts';

import { runTool } from './run-tool.ts';
import type { Sandbox } from './sandbox.ts';
import { noFilterProblem, systemCallFilter } from './system-calls.ts';

const timeoutMs = 10_000;
/** Max time of a check in a container, in ms. It's long, because an image may have to be downloaded. */
const containerTimeoutMs = 5 * 60_000;

/** Returns the path of a program. Undefined if it isn't installed. */
export function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return realpathSync(file);
    } catch {
      // Try the next folder, because this folder doesn't contain the program.
    }
  }
  return undefined;
}

const notInstalled = (program: string) =>
  `"${program}" isn't installed on the runs service's machine`;

type CheckDeps = {
  sandbox: () => Sandbox;
  folder: string;
  path: string;
  signal: AbortSignal;
  cgroups: () => Cgroups | undefined;
};

/**
 * Programs that a container's image needs. The service runs them in the container to read changes, and to copy and
 * delete files.
 */
const toolsInImage = ['git', 'find', 'grep', 'cp'];
const findTools =
  'for tool in "$@"; do command -v "$tool" >/dev/null || { echo "$tool isn\'t in the image"; exit 1; }; done';

async function checkContainer(
  { container = [], variables, models }: ServiceEnvironment,
  { sandbox, folder, path, signal }: CheckDeps,
): Promise<string | undefined> {
  const program = programOf(container);
  const allVariables = { PATH: path, ...variables };
  if (!isInstalled(program, allVariables.PATH)) return notInstalled(program);
  const options = { cwd: folder, variables: allVariables, timeoutMs: containerTimeoutMs, signal };
  // The container's commands reach the model gateway through a script for Node.
  const tools = models ? [...toolsInImage, 'node'] : toolsInImage;
  const command = ['sh', '-c', findTools, 'sh', ...tools];
  const { code, output } = await runTool(sandbox().run, command, options);
  if (code === 0 || signal.aborted) return undefined;
  return `a container can't be started with "container" (${output}). Try that command as the user of the runs service`;
}

/** Returns the reason why commands can't run in the sandbox of an environment, with advice. Undefined if they can. */
export async function checkSandbox(
  environment: ServiceEnvironment,
  probe: CheckDeps,
): Promise<string | undefined> {
  const kind = isolationOf(environment);
  if (kind === 'none' || kind === 'external') return undefined;
  if (kind === 'container') return checkContainer(environment, probe);
  const { sandbox, folder, path, signal } = probe;
  if (findProgram('bwrap', path) === undefined)
    return `${notInstalled('bwrap')}, and agents run in its sandbox. Install the package "bubblewrap", or set "isolation"`;
  if (!systemCallFilter()) return noFilterProblem;
  for (const program of limitPrograms(environment.limits ?? {}))
    if (findProgram(program, path) === undefined)
      return `${notInstalled(program)}, and "limits" needs it`;
  const { processes } = environment.limits ?? {};
  if (processes !== undefined && process.getuid?.() === 0)
    if (!probe.cgroups()?.limits.includes('processes'))
      return 'the runs service runs as root, for whom Linux limits "processes" only in a cgroup, and none can be made. Run it as another user';
  const options = { cwd: folder, variables: { PATH: path, LC_ALL: 'C' }, timeoutMs, signal };
  const { code, output } = await runTool(sandbox().run, ['true'], options);
  if (code === 0 || signal.aborted) return undefined;
  return `bubblewrap doesn't work on the runs service's machine (${output}). Allow user namespaces there, or set "isolation"`;
}
