import type { FollowedRequest } from '../../store/requests/request-row.ts';
import { followedLongEnough } from '../progress.ts';
import { callOptions, readFailure } from '../runs-port.ts';
import type { Sweep } from './sweep-parts.ts';

/** One run is checked this often, however many are followed. */
const checkEveryMs = 10_000;

/**
 * Finds what a sweep of changes can't: that a run is gone, or that a change was never listed. Checks one run after the
 * other in the order of their ids. If something differs, the request itself looks again.
 */
export const checkOneRun: Sweep = async ({ followed, runs, logger }, connection, signal) => {
  if (connection.checkAt > Date.now()) return {};
  const next = await followed.next(connection.checkedRunId);
  if (!next) return {};
  const { runId, request } = next;
  const swept = { checkAt: Date.now() + checkEveryMs, checkedRunId: runId };
  // The follower logs that it can't be read. The lists work for all others.
  if (!request) return swept;
  try {
    const run = await runs.get(runId, callOptions(signal));
    const isUnchanged = isSame(run, request) && !followedLongEnough(request, run, Date.now());
    if (!isUnchanged) await followed.lookNow([runId]);
    return swept;
  } catch (error) {
    if (signal.aborted) throw error;
    const { code, retryAfterMs } = readFailure(error);
    if (code === 'not_found') await followed.lookNow([runId]);
    // The lists work. A problem with this one run must not stop them.
    else logger.warn({ requestId: request.id, code }, 'run not checked');
    return retryAfterMs > 0 ? { ...swept, nextInMs: retryAfterMs } : swept;
  }
};

function isSame(
  run: { state: string; updated_at: string },
  { run: known, pendingUpdate }: FollowedRequest,
): boolean {
  const newest = pendingUpdate ?? known;
  return newest?.state === run.state && newest.updated_at === run.updated_at;
}
