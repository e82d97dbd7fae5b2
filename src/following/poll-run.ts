import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { afterAnswer, afterPollFailure, pollDelayMs, retryDelayMs } from './progress.ts';
import { callTimeoutMs, readFailure } from './runs-port.ts';

/** Asks for the run once. Failures are kept with the request: the message says since when nothing was heard. */
export async function pollRun(
  { runs, logger }: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { request, record } = tracked;
  if (request.runId === null) throw new Error(`request ${request.id} is followed without a run id`);
  try {
    const run = await runs.get(request.runId, { signal, timeoutMs: callTimeoutMs });
    await record(afterAnswer(request, run, Date.now()));
  } catch (error) {
    if (signal.aborted) return Date.now();
    const failure = readFailure(error);
    logger.warn(
      { requestId: request.id, runId: request.runId, code: failure.code },
      'run not read',
    );
    await record(afterPollFailure(request, failure, Date.now()));
    if (tracked.request.step === 'ended') return null;
    return Date.now() + retryDelayMs(tracked.request.failures, failure.retryAfterMs);
  }
  if (tracked.request.step === 'ended') return null;
  return Date.now() + pollDelayMs(Date.now() - request.acceptedAt);
}
