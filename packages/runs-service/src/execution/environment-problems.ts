import { delimiter, isAbsolute } from 'node:path';
import type { Logger } from 'base/logger';
import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { isolationOf, runnerOf, type ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled, programOf } from '../harnesses/agent-command.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import { hiddenFolders } from '../sandbox/shown-paths.ts';

/** A problem of an environment on this machine. If `blocksRuns` is true, runs fail with this message. */
type EnvironmentProblem = { message: string; blocksRuns: boolean };

type ProblemSources = {
  sandboxes: Pick<Sandboxes, 'problemOf' | 'warningOf'>;
  path: string;
  /** Checks an environment whose runs execute on another machine. */
  runnerProblem?: (environment: ServiceEnvironment) => Promise<string | undefined>;
};

const maxReasonCharacters = 300;

/**
 * Finds the problems of an environment. A failed check is also reported as a problem, because runs may be unable to
 * start.
 */
export async function problemsOf(
  environment: ServiceEnvironment,
  sources: ProblemSources,
): Promise<EnvironmentProblem[]> {
  try {
    return await findProblems(environment, sources);
  } catch (error) {
    const why = shorten(readableLine(String(error)), maxReasonCharacters);
    return [{ message: `the service can't check what they need (${why})`, blocksRuns: true }];
  }
}

async function findProblems(
  environment: ServiceEnvironment,
  { sandboxes, path, runnerProblem }: ProblemSources,
): Promise<EnvironmentProblem[]> {
  if (runnerOf(environment) !== 'local') {
    const message = await runnerProblem?.(environment);
    return message === undefined ? [] : [{ message, blocksRuns: true }];
  }
  const sandboxProblem = await sandboxes.problemOf(environment);
  if (sandboxProblem !== undefined) return [{ message: sandboxProblem, blocksRuns: true }];
  if (isolationOf(environment) === 'container') return [];
  const programs = [
    ...(environment.setup ?? []).map(([program = '']) => program),
    programOf(environment.command),
  ];
  const searchPath = environment.variables?.['PATH'] ?? path;
  return programs.flatMap((program, before) => {
    const message = programProblem(environment, program, searchPath);
    // Let runs start if the checkout or an earlier setup command can still add the missing program.
    const canAppear = before > 0 || !searchPath.split(delimiter).every(isAbsolute);
    return message === undefined ? [] : [{ message, blocksRuns: !canAppear }];
  });
}

function programProblem(
  environment: ServiceEnvironment,
  program: string,
  path: string,
): string | undefined {
  if (!isInstalled(program, path))
    return `"${program}" isn't installed on the runs service's machine`;
  if (isolationOf(environment) !== 'bubblewrap') return undefined;
  const folders = hiddenFolders(program, path, environment) ?? [];
  if (folders.length === 0) return undefined;
  return `bubblewrap hides folders that "${program}" needs. Add them to the environment: read_only: [${folders.join(', ')}]`;
}

/** Logs a warning for each problem immediately, and again whenever `repeat` is called. */
export function createWarnings(
  environments: () => readonly ServiceEnvironment[],
  machine: ProblemSources,
  logger: Logger,
) {
  const warn = () => warnOfProblems(environments(), machine, logger);
  let warned = warn();
  return {
    repeat() {
      warned = warned.then(warn);
    },
    settled: () => warned,
  };
}

/** Logs the problems of all environments, so that the operator knows them before someone's run fails. */
async function warnOfProblems(
  environments: readonly ServiceEnvironment[],
  machine: ProblemSources,
  logger: Logger,
): Promise<void> {
  const check = async (environment: ServiceEnvironment) => {
    const fields = { environmentId: environment.id };
    const warning = machine.sandboxes.warningOf(environment);
    if (warning !== undefined)
      logger.warn(
        { ...fields, reason: warning },
        'agents of an environment are less isolated than they could be',
      );
    for (const { message, blocksRuns } of await problemsOf(environment, machine)) {
      const effect = blocksRuns ? "can't start" : 'may fail';
      logger.warn({ ...fields, reason: message }, `runs in this environment ${effect}`);
    }
  };
  await Promise.all(environments.map(check));
}
