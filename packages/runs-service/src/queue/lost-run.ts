import type { ServiceEnvironment } from '../environments/environments.ts';
import { failed, interrupted, overBudget, type RunEnd } from '../execution/run-end.ts';
import type { StoredRun } from '../store/runs.ts';

/** Max restarts of a run. The number is small, because the run itself may crash the service. */
const maxRestarts = 3;

export function canRestart(run: StoredRun, environment: ServiceEnvironment | undefined) {
  const isWanted = !run.cancel_requested && run.spend_stopped === null;
  return environment?.restart === true && isWanted && run.restarts < maxRestarts;
}

/**
 * Decides how to settle an active run that no process executes. Returns 'restart' or the run's end. See
 * docs/decisions/023-services-share-runs-through-one-claim-row.md.
 */
export function afterLoss(
  run: StoredRun,
  environment: ServiceEnvironment | undefined,
  why: string,
): 'restart' | RunEnd {
  if (run.cancel_requested) return { state: 'CANCELLED' };
  if (run.spend_stopped !== null) return overBudget(run.spend_stopped);
  if (canRestart(run, environment)) return 'restart';
  if (environment?.restart !== true) return interrupted(why);
  return failed(
    `${why}, so this run was cut off. It already started over ${maxRestarts} times and may be what stops the service. Check the service's log before you run it again.`,
    { error_code: 'internal_error', retryable: true },
  );
}

/**
 * Returns the reason why a run was lost, for its timeline.
 * @param crashedOwner name of the last process in this data folder, if it crashed
 */
export function whyLost(run: StoredRun, crashedOwner: string | undefined): string {
  if (run.lease_owner === null) return 'The runs service was stopped';
  return run.lease_owner === crashedOwner
    ? 'The runs service was restarted'
    : 'The runs service stopped responding';
}
