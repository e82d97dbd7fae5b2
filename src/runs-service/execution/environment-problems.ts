import type { Logger } from '../../lib/logger.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled, programOf } from '../harnesses/agent-command.ts';
import { findIdentity } from './processes/identity.ts';

/** What an environment asks for and this machine has not; runs in it fail with these words if it `prevents` them. */
export type EnvironmentProblem = { says: string; prevents: boolean };

export function problemsOf(environment: ServiceEnvironment, path: string): EnvironmentProblem[] {
  const { command, container, user, memory_limit_mb: limitMb, variables } = environment;
  const problems: EnvironmentProblem[] = [];
  const prevented = (says: string) => problems.push({ says, prevents: true });
  const searched = variables?.['PATH'] ?? path;
  if (container) {
    const program = programOf(container);
    if (!isInstalled(program, searched)) prevented(`${notInstalled(program)}, for its containers`);
  } else {
    const program = programOf(command);
    // What lies in the checkout, or is installed by a set-up command, cannot be seen before.
    if (!isInstalled(program, searched))
      problems.push({ says: notInstalled(program), prevents: false });
  }
  if (limitMb !== undefined && !isInstalled('prlimit', searched))
    prevented(`${notInstalled('prlimit')}, which the memory limit needs`);
  const identity = user === undefined ? undefined : findIdentity(user);
  if (identity && 'problem' in identity) prevented(identity.problem);
  return problems;
}

const notInstalled = (program: string) =>
  `"${program}" is not installed where the runs service runs`;

/** Said when the environments are read, so that it is not first found by the person whose run fails. */
export function warnOfProblems(
  environments: readonly ServiceEnvironment[],
  path: string,
  logger: Logger,
): void {
  for (const environment of environments) {
    for (const { says, prevents } of problemsOf(environment, path)) {
      const effect = prevents ? 'runs in an environment cannot start' : 'runs may not start';
      logger.warn({ environmentId: environment.id, why: says }, effect);
    }
  }
}
