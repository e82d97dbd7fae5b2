import type { DueAt } from 'base/leased-work';
import { RunsApiError } from 'runs-client/runs-api-error';
import { type CancelOutcome, canceledBeforeStart, isCancelPending } from '../../requests/cancel.ts';
import { pollDelayMs } from '../poll-delays.ts';
import { callOptions, readFailure } from '../runs-port.ts';
import type { FollowingDeps, Tracked } from '../track.ts';

/**
 * Asks the service to cancel a run. Repeats the call until the service answers or the run has ended. Canceling twice is
 * harmless, so a crash after the call is too.
 */
export async function cancelRun(
  { runs, connections, logger }: Pick<FollowingDeps, 'runs' | 'connections' | 'logger'>,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { step, runId, cancelRetryAt } = tracked.request;
  const now = Date.now();
  if (step !== 'following' || runId === null || !isCancelPending(tracked.request)) return null;
  if (cancelRetryAt !== null && cancelRetryAt > now) return cancelRetryAt;
  try {
    await runs.cancel(runId, callOptions(signal));
  } catch (error) {
    if (signal.aborted) return now;
    const { code, retryAfterMs } = readFailure(error);
    const outcome = readRejection(error, tracked.request.run !== null);
    if (outcome) {
      logger.warn({ code }, 'the runs service did not cancel the run');
      // Poll now so that the message shows the final state.
      const nextPollAt = outcome === 'already_ended' ? { nextPollAt: now } : {};
      await tracked.record({ cancelOutcome: outcome, cancelRetryAt: null, ...nextPollAt });
      return null;
    }
    logger.warn({ code }, 'run not canceled yet; trying again');
    const askedAt = tracked.request.cancelAskedAt ?? now;
    const retryAt = now + Math.max(retryAfterMs, pollDelayMs(now - askedAt));
    tracked.note({ cancelRetryAt: retryAt });
    return retryAt;
  }
  logger.info({}, 'run canceled');
  // Follow the run again if following was stopped, because someone who cancels a run wants to see its end.
  const isUnfollowed = tracked.request.unfollowedAt !== null;
  const following = { unfollowedAt: null, followedSince: now, problem: null, nextPollAt: now };
  await tracked.record({
    cancelOutcome: 'accepted',
    cancelRetryAt: null,
    ...(isUnfollowed && following),
  });
  await connections.wake(tracked.request.connectionId, pollDelayMs(0));
  return null;
}

const rejections: Partial<Record<RunsApiError['code'], CancelOutcome>> = {
  bad_request: 'already_ended',
  unprocessable: 'not_cancelable',
  not_found: 'not_offered',
  forbidden: 'forbidden',
  client_error: 'rejected',
  budget_exceeded: 'rejected',
  invalid_request: 'rejected',
};

/**
 * Returns the outcome of a rejected cancel. Undefined if the same call may succeed later, because the run is still
 * being prepared or the service is down.
 */
function readRejection(error: unknown, isKnown: boolean): CancelOutcome | undefined {
  if (!(error instanceof RunsApiError)) return undefined;
  if (error.status === 405) return 'not_offered';
  // Retry if the run isn't known yet, because a service may need a moment after it created the run.
  if (error.code === 'not_found' && !isKnown) return undefined;
  return rejections[error.code];
}

/** Ends a request that was canceled before a run was created for it. */
export async function endBeforeStart({ record }: Tracked): Promise<DueAt> {
  const now = Date.now();
  const problem = { code: canceledBeforeStart, message: '', since: now };
  await record({ step: 'ended', endedAt: now, createBeganAt: null, failures: 0, problem });
  return null;
}
