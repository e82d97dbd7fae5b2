import type { Connection } from '../store/connections.ts';
import type { RunRequest } from '../store/request-row.ts';
import { followedLongEnough } from './progress.ts';
import { callTimeoutMs, readFailure } from './runs-port.ts';
import type { SweepParts, Swept } from './sweep-parts.ts';

/** However many runs are followed: so often one of them is checked. */
const checkEveryMs = 10_000;

/**
 * What sweeps by changes cannot tell: that a run is gone, or that a change was never listed. One run after the other, in
 * the order of their ids, is looked at; where something is found, the request itself looks again and goes on from there.
 */
export async function checkOneRun(
  { followed, runs, logger }: SweepParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<Swept> {
  if (connection.checkAt > Date.now()) return {};
  const request = await followed.next(connection.checkedRunId);
  if (!request?.runId) return {};
  const swept = { checkAt: Date.now() + checkEveryMs, checkedRunId: request.runId };
  try {
    const options = { signal, timeoutMs: callTimeoutMs, maxRetries: 0 };
    const run = await runs.get(request.runId, options);
    const isAsKnown = isSame(run, request) && !followedLongEnough(request, run, Date.now());
    if (!isAsKnown) await followed.lookNow([request.runId]);
    return swept;
  } catch (error) {
    if (signal.aborted) throw error;
    const { code, retryAfterMs } = readFailure(error);
    if (code === 'not_found') await followed.lookNow([request.runId]);
    // The lists work: what is wrong with this one run must not stop them.
    else logger.warn({ requestId: request.id, code }, 'run not checked');
    return retryAfterMs > 0 ? { ...swept, nextInMs: retryAfterMs } : swept;
  }
}

function isSame(
  run: { state: string; updated_at: string },
  { run: known, news }: RunRequest,
): boolean {
  const newest = news ?? known;
  return newest?.state === run.state && newest.updated_at === run.updated_at;
}
