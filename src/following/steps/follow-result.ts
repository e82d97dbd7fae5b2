import { type DueAt, sooner } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import { isPublishPending } from '../../requests/publish.ts';
import { lookAtResultAt } from '../after-end.ts';
import { afterAnswer, downDelayMs } from '../progress.ts';
import { callOptions, readFailure } from '../runs-port.ts';
import type { FollowStep } from '../track.ts';
import { lookForUnknownRun } from './look-at-run.ts';
import { publishChanges } from './publish-changes.ts';

/** Keeps what came of an ended run true: what happens to its pull request, and whether its changes are published. */
export const followResult: FollowStep = async (parts, tracked, signal) => {
  if (tracked.request.missingSince !== null) return lookForUnknownRun(parts, tracked, signal);
  const retryAt = await publishChanges(parts, tracked, signal);
  if (signal.aborted) return retryAt;
  const lookAt = await lookAtResult(parts, tracked, signal);
  return isPublishPending(tracked.request) ? sooner(retryAt, lookAt) : lookAt;
};

const lookAtResult: FollowStep = async (
  { runs, connections, logger },
  { request, note },
  signal,
) => {
  const { runId, lookAt } = request;
  const now = Date.now();
  if (runId === null || lookAt === null) return null;
  if (lookAt > now) return lookAt;
  const connection = await connections.find(request.connectionId);
  if (connection?.problem) return lookLater(now + downDelayMs);
  try {
    const run = await runs.get(runId, callOptions(signal));
    const changes = afterAnswer(request, run, now);
    const isSeen = request.publishOutcome === 'accepted';
    const seen = isSeen ? ({ publishOutcome: 'seen' } as const) : {};
    const lookAt = lookAtResultAt({ ...request, ...changes, ...seen }, now);
    note({ ...changes, ...seen, lookAt });
    return lookAt;
  } catch (error) {
    if (signal.aborted) return now;
    const { code, retryAfterMs } = readFailure(error);
    logger.warn({ code }, 'result of a run not read');
    // The service deletes old runs. What the message shows stays as it is.
    if (code === 'not_found') return lookLater(null);
    const failures = request.failures + 1;
    note({ failures });
    return lookLater(now + Math.max(downDelayMs, retryDelayMs(failures, retryAfterMs)));
  }

  function lookLater(at: number | null): DueAt {
    note({ lookAt: at });
    return at;
  }
};
