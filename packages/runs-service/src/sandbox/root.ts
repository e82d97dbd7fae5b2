import { placeOf, type ServiceEnvironment } from '../environments/environments.ts';

/** The user that agents would run as, and the operator's word that root may be it. */
export type ServiceUser = {
  allowRoot?: boolean | undefined;
  /** User ID of the agents. By default the user of this process. */
  userId?: number | undefined;
};

type RootEnvironment = Pick<ServiceEnvironment, 'isBuiltIn' | 'place'>;

function runsAsRoot({ isBuiltIn }: RootEnvironment, { userId }: ServiceUser): boolean {
  return !isBuiltIn && (userId ?? process.getuid?.()) === 0;
}

/** Returns the reason why no agent of this environment is started here, with advice. Undefined if agents can start. */
export function rootProblem(environment: RootEnvironment, user: ServiceUser): string | undefined {
  if (user.allowRoot || !runsAsRoot(environment, user)) return undefined;
  return "the runs service runs as root, and agents would have root's user ID. Give the service a user, or set RUNS_SERVICE_ALLOW_ROOT=true";
}

/**
 * Returns a warning for people who choose an environment. Undefined if its agents aren't root, or aren't started
 * here.
 */
export function rootWarning(environment: RootEnvironment, user: ServiceUser): string | undefined {
  if (!user.allowRoot || placeOf(environment) !== 'here') return undefined;
  return runsAsRoot(environment, user)
    ? 'Agents run as root, because the runs service does.'
    : undefined;
}
