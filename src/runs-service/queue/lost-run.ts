import type { ServiceRun } from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { failed, interrupted, type RunEnd } from '../execution/run-end.ts';

/** A run that brings its service down each time must not do so for ever. */
const maxRestarts = 3;

/** Whether a run that stopped half-way is begun anew instead of ended. */
export function mayBeginAgain(run: ServiceRun, environment: ServiceEnvironment | undefined) {
  return environment?.restart === true && !run.cancel_requested && run.restarts < maxRestarts;
}

/**
 * What happens to a run that no one executes any more: it starts over, or ends like this. See
 * docs/decisions/023-interrupted-runs-fail-unless-the-environment-restarts-them.md.
 */
export function afterLoss(
  run: ServiceRun,
  environment: ServiceEnvironment | undefined,
  why: string,
): 'begin-again' | RunEnd {
  if (run.cancel_requested) return { state: 'CANCELLED' };
  if (mayBeginAgain(run, environment)) return 'begin-again';
  if (environment?.restart !== true) return interrupted(why);
  return failed(
    `${why} while this run was going. It was begun anew ${maxRestarts} times before, so it was ended now: it may be what brings the service down.`,
    { error_code: 'internal_error', retryable: true },
  );
}
