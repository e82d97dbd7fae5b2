/** Decides what an answer or a failure means for a followed request, and when to poll next. Pure functions. */
import { retryDelayMs } from 'base/time/retry-delay';
import { isTerminalState, type Run } from 'runs-client/contract';
import type { PullRequestData } from 'runs-client/publication';
import { isClosed, isOpen, pullRequestsOf } from '../requests/pull-request.ts';
import { isUnknown } from '../requests/run-progress.ts';
import {
  type FollowedRequest,
  type RequestChanges,
  updateTime,
} from '../store/requests/request-row.ts';
import { pollDelayMs, quietPollDelayMs } from './poll-delays.ts';
import type { CallFailure } from './runs-port.ts';

/**
 * Applies an API answer unless it's older than the known state, because answers can arrive out of order. An answer with
 * a final state always applies, because a service's clock can be set back or differ between machines. Sets `nextPollAt`
 * once the run has ended.
 */
export function afterAnswer(request: FollowedRequest, run: Run, now: number): RequestChanges {
  const known = request.run;
  if (known && isTerminalState(known.state)) {
    const changes = afterEnd(request, run);
    return {
      ...answered,
      ...changes,
      nextPollAt: nextResultPollAt({ ...request, ...changes }, now),
    };
  }
  if (known && !isTerminalState(run.state) && isOlder(run, known)) return answered;
  const current = {
    ...answered,
    problem: null,
    run,
    runId: run.run_id,
    blockedAt: blockedSince(request, run),
  };
  if (!isTerminalState(run.state)) return { ...current, step: 'following', endedAt: null };
  const ended = { ...current, endedAt: now, changeSeenAt: updateTime(run) };
  return { ...ended, step: 'ended', nextPollAt: nextResultPollAt({ ...request, ...ended }, now) };
}

const blockedSince = (
  { blockedAt }: Pick<FollowedRequest, 'blockedAt'>,
  run: Run,
): number | null => (run.state === 'BLOCKED' ? (blockedAt ?? updateTime(run)) : null);

const answered = { failures: 0, missingSince: null };

/**
 * Returns true if the run is older than the known one. With equal or unreadable timestamps, the later answer applies.
 */
const isOlder = (run: Run, known: Run) => Date.parse(run.updated_at) < Date.parse(known.updated_at);

/** Time until a run that the service doesn't know is treated as gone, in ms. */
const goneAfterMs = 5 * 60_000;

/** Retries for a while if the service doesn't know the run. Then ends the request, because the run is gone. */
export function afterNotFound(
  request: FollowedRequest,
  now: number,
): RequestChanges & { dueAt: number | null } {
  const failures = request.failures + 1;
  const dueAt = now + retryDelayMs(failures);
  const { missingSince } = request;
  if (missingSince === null) return { failures, missingSince: now, nextPollAt: dueAt, dueAt };
  if (now - missingSince < goneAfterMs) return { failures, nextPollAt: dueAt, dueAt };
  const problem = { code: 'gone', message: '', since: now };
  return { failures, step: 'ended', endedAt: now, problem, nextPollAt: null, dueAt: null };
}

/**
 * Delay before another call for a run while the API is down, in ms. Meanwhile, only sweeps test if the API is available
 * again.
 */
export const downDelayMs = 10_000;

const longestStartMs = 15 * 60_000;

export const canWaitToStart = ({ since }: { since: number }, now: number): boolean =>
  now - since < longestStartMs;

/**
 * Returns true if a create call that had no effect can be sent again. Gives up after a while, because no run should
 * start long after its request.
 */
export function canStillStart(
  { problem }: Pick<FollowedRequest, 'problem'>,
  { code, isPassing }: Pick<CallFailure, 'isPassing'> & { code: string },
  now: number,
): boolean {
  if (code === 'rate_limited') return true;
  return isPassing && canWaitToStart(problem ?? { since: now }, now);
}

const longestSilenceMs = 7 * 24 * 60 * 60_000;

/** Returns true if the run hasn't changed for a week. Its message then offers *Resume updates*. */
export function followedLongEnough(request: FollowedRequest, run: Run, now: number): boolean {
  return now - lastHeardAt(request, run) > longestSilenceMs;
}

function lastHeardAt(
  { acceptedAt, followedSince }: Pick<FollowedRequest, 'acceptedAt' | 'followedSince'>,
  run: Run,
): number {
  const lastChange = Date.parse(run.updated_at);
  const wantedAt = followedSince ?? acceptedAt;
  return Number.isNaN(lastChange) ? wantedAt : Math.max(lastChange, wantedAt);
}

/** Returns the time to poll a run if no sweep reports a change before that. */
export function nextPollAfterSilence(request: FollowedRequest, run: Run, now: number): number {
  const silentTooLongAt = lastHeardAt(request, run) + longestSilenceMs;
  return Math.max(silentTooLongAt, now + quietPollDelayMs(now - request.acceptedAt));
}

/**
 * Returns a key that identifies this end of the request; undefined before the end. A request can end more than once.
 */
export function endRound({
  step,
  problem,
}: Pick<FollowedRequest, 'step' | 'problem'>): string | undefined {
  if (step === 'not_started') return `not started ${problem?.since ?? 0}`;
  if (step !== 'ended') return undefined;
  return isUnknown(problem) ? `gone ${problem?.since}` : 'end';
}

/** Time to follow the pull request of an ended run, in ms. The embedded runs service uses the same time. */
const followedForMs = 14 * 24 * 60 * 60_000;

/** Time after a publish request in which the result is polled often, in ms. */
const expectantMs = 2 * 60_000;

type Result = Pick<FollowedRequest, 'run' | 'endedAt' | 'publishAskedAt' | 'publishOutcome'>;

/** Returns the time to poll an ended run, in case no sweep reports a change. Null once nothing can change anymore. */
export function nextResultPollAt(
  { run, endedAt, publishAskedAt, publishOutcome }: Result,
  now: number,
): number | null {
  if (publishOutcome === 'accepted') return now;
  if (!run || endedAt === null || now - endedAt > followedForMs) return null;
  const ageMs = now - endedAt;
  const askedMs = now - (publishAskedAt ?? endedAt);
  const pullRequests = pullRequestsOf(run);
  const isAwaited = publishAskedAt !== null && askedMs < expectantMs && !isOver(run, pullRequests);
  if (isAwaited || run.publication?.state === 'publishing') return now + pollDelayMs(askedMs);
  if (pullRequests.some(isOpen)) return now + quietPollDelayMs(ageMs);
  // Poll only once more, when following ends, because sweeps report a later publication soon enough.
  return run.publication?.state ? endedAt + followedForMs + 1 : null;
}

/** Returns true if no open pull request or publication is left, so that nothing more will change. */
const isOver = ({ publication }: Run, pullRequests: readonly PullRequestData[]): boolean =>
  (publication?.state ?? 'published') === 'published' &&
  pullRequests.length > 0 &&
  pullRequests.every(isClosed);

/**
 * Applies what can still change after the end, such as the pull request. The run's state and times stay as they are.
 */
export function afterEnd(
  { run, changeSeenAt, publishOutcome }: FollowedRequest,
  answer: Run,
): RequestChanges {
  const at = updateTime(answer);
  if (!run || at < (changeSeenAt ?? updateTime(run))) return {};
  const changed: Run = {
    ...run,
    artifacts: answer.artifacts ?? run.artifacts,
    publication: answer.publication ?? run.publication,
    session_link: answer.session_link ?? run.session_link,
    request_usage: answer.request_usage ?? run.request_usage,
  };
  if (JSON.stringify(changed) === JSON.stringify(run)) return { changeSeenAt: at };
  // Clear a rejected publication once the run has changed, because the rejection is outdated.
  const isOutdated = publishOutcome === 'rejected' || publishOutcome === 'not_offered';
  return { changeSeenAt: at, run: changed, ...(isOutdated && { publishOutcome: 'seen' }) };
}
