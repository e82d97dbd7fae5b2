import { type DueAt, sooner } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import { isTerminalState } from 'runs-client/contract';
import { isPublishPending } from '../../requests/publish.ts';
import { pollDelayMs, quietPollDelayMs } from '../poll-delays.ts';
import {
  afterAnswer,
  afterNotFound,
  downDelayMs,
  followedLongEnough,
  nextResultPollAt,
} from '../progress.ts';
import { callOptions, readFailure } from '../runs-port.ts';
import type { FollowStep } from '../track.ts';
import { publishChanges } from './publish-changes.ts';

/**
 * After *Resume updates*, reads a run that the service didn't know earlier. Retries until the service answers. Follows
 * the run if the service knows it now.
 */
export const recheckMissingRun: FollowStep = async (deps, tracked, signal) => {
  const { runId, missingSince, nextPollAt, followedSince } = tracked.request;
  if (runId === null || missingSince === null || nextPollAt === null) return null;
  const now = Date.now();
  if (nextPollAt > now) return nextPollAt;
  try {
    await deps.runs.get(runId, callOptions(signal));
  } catch (error) {
    if (signal.aborted) return now;
    const { code, retryAfterMs } = readFailure(error);
    deps.logger.warn({ code }, 'run not found again');
    const isUnknown = code === 'not_found';
    const retryAt = now + Math.max(retryAfterMs, pollDelayMs(now - (followedSince ?? now)));
    tracked.note({ nextPollAt: isUnknown ? null : retryAt });
    return isUnknown ? null : retryAt;
  }
  await tracked.record({
    step: 'following',
    failures: 0,
    problem: null,
    missingSince: null,
    nextPollAt: null,
    endedAt: null,
  });
  return pollRun(deps, tracked, signal);
};

/** Polls a single run, because no sweep has reported it for long enough or its service can't be swept. */
export const pollRun: FollowStep = async (deps, tracked, signal) => {
  const { request, note } = tracked;
  if (request.step !== 'following') return null;
  if (request.runId === null) throw new Error(`request ${request.id} is followed without a run`);
  const now = Date.now();
  if (request.nextPollAt !== null && request.nextPollAt > now) return request.nextPollAt;
  const connection = await deps.connections.find(request.connectionId);
  if (connection?.problem) return pollLater(now + downDelayMs);
  try {
    const run = await deps.runs.get(request.runId, callOptions(signal));
    if (!isTerminalState(run.state) && followedLongEnough(request, run, now)) {
      const problem = { code: 'followed_long_enough', message: '', since: now };
      note({ run, unfollowedAt: now, problem });
      return null;
    }
    const ageMs = now - request.acceptedAt;
    const isOneByOne = connection?.mode === 'one by one';
    const nextPollAt = now + (isOneByOne ? pollDelayMs(ageMs) : quietPollDelayMs(ageMs));
    note({ nextPollAt: nextPollAt, ...afterAnswer(request, run, now) });
    if (tracked.request.step === 'ended') return tracked.request.nextPollAt;
    // Restart the sweeps, which pause while no run is followed.
    if (request.nextPollAt === null) {
      await deps.connections.wake(request.connectionId, pollDelayMs(ageMs));
    }
    return nextPollAt;
  } catch (error) {
    if (signal.aborted) return now;
    const failure = readFailure(error);
    deps.logger.warn({ code: failure.code }, 'run not read');
    if (failure.code === 'not_found') {
      const { dueAt, ...changes } = afterNotFound(request, now);
      note(changes);
      return dueAt;
    }
    // Start a sweep, because the service has a problem, not this run. The sweep then shows the problem in all
    // messages.
    await deps.connections.wake(request.connectionId, 0);
    return pollLater(now + Math.max(downDelayMs, failure.retryAfterMs));
  }

  function pollLater(nextPollAt: number): DueAt {
    // Clear `missingSince`, because a failed call doesn't mean that the run is missing.
    note({ nextPollAt: nextPollAt, ...(request.missingSince !== null && { missingSince: null }) });
    return nextPollAt;
  }
};

/** Updates the result of an ended run: its pull request, and the publication of its changes. */
export const followResult: FollowStep = async (deps, tracked, signal) => {
  if (tracked.request.missingSince !== null) return recheckMissingRun(deps, tracked, signal);
  const retryAt = await publishChanges(deps, tracked, signal);
  if (signal.aborted) return retryAt;
  const nextPollAt = await pollResult(deps, tracked, signal);
  return isPublishPending(tracked.request) ? sooner(retryAt, nextPollAt) : nextPollAt;
};

const pollResult: FollowStep = async ({ runs, connections, logger }, { request, note }, signal) => {
  const { runId, nextPollAt } = request;
  const now = Date.now();
  if (runId === null || nextPollAt === null) return null;
  if (nextPollAt > now) return nextPollAt;
  const connection = await connections.find(request.connectionId);
  if (connection?.problem) return pollLater(now + downDelayMs);
  try {
    const run = await runs.get(runId, callOptions(signal));
    const changes = afterAnswer(request, run, now);
    const isSeen = request.publishOutcome === 'accepted';
    const seen = isSeen ? ({ publishOutcome: 'seen' } as const) : {};
    const nextPollAt = nextResultPollAt({ ...request, ...changes, ...seen }, now);
    note({ ...changes, ...seen, nextPollAt: nextPollAt });
    return nextPollAt;
  } catch (error) {
    if (signal.aborted) return now;
    const { code, retryAfterMs } = readFailure(error);
    logger.warn({ code }, 'result of a run not read');
    // Stop polling, because services delete old runs. The message keeps what it shows.
    if (code === 'not_found') return pollLater(null);
    const failures = request.failures + 1;
    note({ failures });
    return pollLater(now + Math.max(downDelayMs, retryDelayMs(failures, retryAfterMs)));
  }

  function pollLater(at: number | null): DueAt {
    note({ nextPollAt: at });
    return at;
  }
};
