import type { DueAt } from 'base/leased-work';
import { isTerminalState } from 'runs-client/contract';
import { pollDelayMs, quietLookDelayMs } from '../poll-delays.ts';
import { afterAnswer, afterNotFound, downDelayMs, followedLongEnough } from '../progress.ts';
import { callOptions, readFailure } from '../runs-port.ts';
import type { FollowStep } from '../track.ts';

/**
 * Someone pressed *Follow again* on a request that was given up because the service didn't know its run: asks the service
 * once more, until it answers.
 */
export const lookForUnknownRun: FollowStep = async (parts, tracked, signal) => {
  const { runId, missingSince, lookAt, followedSince } = tracked.request;
  if (runId === null || missingSince === null || lookAt === null) return null;
  const now = Date.now();
  if (lookAt > now) return lookAt;
  try {
    await parts.runs.get(runId, callOptions(signal));
  } catch (error) {
    if (signal.aborted) return now;
    const { code, retryAfterMs } = readFailure(error);
    parts.logger.warn({ code }, 'run not found again');
    const isUnknown = code === 'not_found';
    const retryAt = now + Math.max(retryAfterMs, pollDelayMs(now - (followedSince ?? now)));
    tracked.note({ lookAt: isUnknown ? null : retryAt });
    return isUnknown ? null : retryAt;
  }
  await tracked.record({
    step: 'following',
    failures: 0,
    problem: null,
    missingSince: null,
    lookAt: null,
    endedAt: null,
  });
  return lookAtRun(parts, tracked, signal);
};

/** Reads one run when no sweep has seen it for long enough, or when the service's lists can't be swept. */
export const lookAtRun: FollowStep = async (parts, tracked, signal) => {
  const { request, note } = tracked;
  if (request.step !== 'following') return null;
  if (request.runId === null) throw new Error(`request ${request.id} is followed without a run`);
  const now = Date.now();
  if (request.lookAt !== null && request.lookAt > now) return request.lookAt;
  const connection = await parts.connections.find(request.connectionId);
  if (connection?.problem) return lookLater(now + downDelayMs);
  try {
    const run = await parts.runs.get(request.runId, callOptions(signal));
    if (!isTerminalState(run.state) && followedLongEnough(request, run, now)) {
      const problem = { code: 'followed_long_enough', message: '', since: now };
      note({ run, unfollowedAt: now, problem });
      return null;
    }
    const ageMs = now - request.acceptedAt;
    const isOneByOne = connection?.mode === 'one by one';
    const lookAt = now + (isOneByOne ? pollDelayMs(ageMs) : quietLookDelayMs(ageMs));
    note({ lookAt, ...afterAnswer(request, run, now) });
    if (tracked.request.step === 'ended') return tracked.request.lookAt;
    // Sweeps pause while no run is followed. This one may be the first again.
    if (request.lookAt === null) {
      await parts.connections.wake(request.connectionId, pollDelayMs(ageMs));
    }
    return lookAt;
  } catch (error) {
    if (signal.aborted) return now;
    const failure = readFailure(error);
    parts.logger.warn({ code: failure.code }, 'run not read');
    if (failure.code === 'not_found') {
      const { dueAt, ...changes } = afterNotFound(request, now);
      note(changes);
      return dueAt;
    }
    // Not this run's fault: the sweep finds out what is wrong, and all messages show it.
    await parts.connections.wake(request.connectionId, 0);
    return lookLater(now + Math.max(downDelayMs, failure.retryAfterMs));
  }

  function lookLater(lookAt: number): DueAt {
    // A service that is down says nothing about this run.
    note({ lookAt, ...(request.missingSince !== null && { missingSince: null }) });
    return lookAt;
  }
};
