import type { Logger } from '../../lib/logger.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled, programOf } from '../harnesses/agent-command.ts';
import { findIdentity } from './processes/identity.ts';

/** Something an environment needs that this machine lacks. If it `blocksRuns`, runs fail with this message. */
export type EnvironmentProblem = { message: string; blocksRuns: boolean };

export function problemsOf(environment: ServiceEnvironment, path: string): EnvironmentProblem[] {
  const { command, container, user, memory_limit_mb: limitMb, variables } = environment;
  const problems: EnvironmentProblem[] = [];
  const block = (message: string) => problems.push({ message, blocksRuns: true });
  const searchPath = variables?.['PATH'] ?? path;
  const program = programOf(container ?? command);
  // Setup commands or the checkout can still bring the agent's program.
  if (!isInstalled(program, searchPath))
    problems.push({ message: notInstalled(program), blocksRuns: container !== undefined });
  if (limitMb !== undefined && !isInstalled('prlimit', searchPath))
    block(`${notInstalled('prlimit')}, and "memory_limit_mb" needs it`);
  const identity = user === undefined ? undefined : findIdentity(user);
  if (identity && 'problem' in identity) block(identity.problem);
  return problems;
}

const notInstalled = (program: string) =>
  `"${program}" isn't installed on the runs service's machine`;

/** Tells the operator when the environments are read, before someone's run fails. */
export function warnOfProblems(
  environments: readonly ServiceEnvironment[],
  path: string,
  logger: Logger,
): void {
  for (const environment of environments) {
    for (const { message, blocksRuns } of problemsOf(environment, path)) {
      const effect = blocksRuns ? "can't start" : 'may fail';
      const fields = { environmentId: environment.id, reason: message };
      logger.warn(fields, `runs in this environment ${effect}`);
    }
  }
}
