import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isolationOf, type ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled, programOf } from '../harnesses/agent-command.ts';
import { limitPrograms } from './limits.ts';
import { runTool } from './run-tool.ts';
import type { Wall } from './wall.ts';

const timeoutMs = 10_000;

/** The path of a program; undefined if it isn't installed. */
export function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return realpathSync(file);
    } catch {
      // It isn't in this folder.
    }
  }
  return undefined;
}

const missing = (program: string) => `"${program}" isn't installed on the runs service's machine`;

/** Why commands can't run behind the wall of an environment, and what to do; undefined if they can. */
export async function probeWall(
  environment: ServiceEnvironment,
  { wall, folder, path }: { wall: () => Wall; folder: string; path: string },
): Promise<string | undefined> {
  const kind = isolationOf(environment);
  if (kind === 'none') return undefined;
  if (kind === 'container') {
    const program = programOf(environment.container ?? []);
    const searchPath = environment.variables?.['PATH'] ?? path;
    return isInstalled(program, searchPath) ? undefined : missing(program);
  }
  if (findProgram('bwrap', path) === undefined)
    return `${missing('bwrap')}, and agents run behind its wall. Install the package "bubblewrap", or set "isolation"`;
  for (const program of limitPrograms(environment.limits ?? {}))
    if (findProgram(program, path) === undefined)
      return `${missing(program)}, and "limits" needs it`;
  if (environment.limits?.processes !== undefined && process.getuid?.() === 0)
    return 'the runs service runs as root, for whom Linux doesn\'t limit "processes". Run it as another user';
  const options = { cwd: folder, variables: { PATH: path, LC_ALL: 'C' }, timeoutMs };
  const { code, words } = await runTool(wall().run, ['true'], options);
  if (code === 0) return undefined;
  return `bubblewrap doesn't work on the runs service's machine (${words}). Allow user namespaces there, or set "isolation"`;
}
