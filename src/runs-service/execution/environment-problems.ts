import { dirname } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import { readableLine } from '../../lib/readable-text.ts';
import { shorten } from '../../lib/shorten.ts';
import { isolationOf, placeOf, type ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled, programOf } from '../harnesses/agent-command.ts';
import { findProgram } from '../isolation/probe.ts';
import { isShown } from '../isolation/shown-paths.ts';
import type { Walls } from '../isolation/walls.ts';

/** Something an environment needs that this machine lacks. If it `blocksRuns`, runs fail with this message. */
type EnvironmentProblem = { message: string; blocksRuns: boolean };

type ProblemSources = {
  walls: Pick<Walls, 'problemOf' | 'warningOf'>;
  path: string;
  /** For environments with another place than this machine. */
  problemElsewhere?: (environment: ServiceEnvironment) => Promise<string | undefined>;
};

const maxWords = 300;

/** A check that fails is a problem too, because whether runs can start isn't known then. */
export async function problemsOf(
  environment: ServiceEnvironment,
  sources: ProblemSources,
): Promise<EnvironmentProblem[]> {
  try {
    return await findProblems(environment, sources);
  } catch (error) {
    const why = shorten(readableLine(String(error)), maxWords);
    return [{ message: `the service can't check what they need (${why})`, blocksRuns: true }];
  }
}

async function findProblems(
  environment: ServiceEnvironment,
  { walls, path, problemElsewhere }: ProblemSources,
): Promise<EnvironmentProblem[]> {
  if (placeOf(environment) !== 'here') {
    const message = await problemElsewhere?.(environment);
    return message === undefined ? [] : [{ message, blocksRuns: true }];
  }
  const wallProblem = await walls.problemOf(environment);
  if (wallProblem !== undefined) return [{ message: wallProblem, blocksRuns: true }];
  const program = programOf(environment.command);
  const searchPath = environment.variables?.['PATH'] ?? path;
  if (isolationOf(environment) === 'container') return [];
  if (isInstalled(program, searchPath)) return hiddenProgram(environment, program, searchPath);
  // Setup commands or the checkout can still bring it.
  const message = `"${program}" isn't installed on the runs service's machine`;
  return [{ message, blocksRuns: false }];
}

/** The system has it, but agents don't see it. */
function hiddenProgram(
  environment: ServiceEnvironment,
  program: string,
  searchPath: string,
): EnvironmentProblem[] {
  const file = findProgram(program, searchPath);
  if (isolationOf(environment) !== 'bubblewrap' || file === undefined) return [];
  if (isShown(file, environment)) return [];
  const message = `"${program}" is in ${dirname(file)}, which bubblewrap hides. Add its folder to "read_only"`;
  return [{ message, blocksRuns: false }];
}

type Machine = ProblemSources & { logger: Logger };

/** Warns now, and again after each `repeat`. */
export function createWarnings(environments: () => readonly ServiceEnvironment[], on: Machine) {
  const warn = () => warnOfProblems(environments(), on);
  let warned = warn();
  return {
    repeat() {
      warned = warned.then(warn);
    },
    settled: () => warned,
  };
}

/** Tells the operator when the environments are read, before someone's run fails. */
async function warnOfProblems(
  environments: readonly ServiceEnvironment[],
  { logger, ...machine }: Machine,
): Promise<void> {
  const check = async (environment: ServiceEnvironment) => {
    const fields = { environmentId: environment.id };
    const warning = machine.walls.warningOf(environment);
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
