/** Pure decisions about a followed request: what an answer or a failure means, and when to look next. */
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
 * Applies an answer of the API unless it is older than what is known: answers may arrive out of order. An end is final, so
 * it counts with any time: the clock of a service may be set back, or differ between its machines. `nextPollAt` is set once it
 * has ended.
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

/** If the timestamps are equal or unreadable, the later answer wins. */
const isOlder = (run: Run, known: Run) => Date.parse(run.updated_at) < Date.parse(known.updated_at);

/** A run that the service hasn't known for this long counts as gone. */
const goneAfterMs = 5 * 60_000;

/** The service doesn't know the run: not yet, or not anymore. */
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

/** While the API is down, the sweep is the only probe; calls for single runs wait. */
export const downDelayMs = 10_000;

const longestStartMs = 15 * 60_000;

export const canWaitToStart = ({ since }: { since: number }, now: number): boolean =>
  now - since < longestStartMs;

/**
 * Returns true if a create that certainly did nothing is sent again. Nobody should notice that a service restarts, but
 * nobody expects a run to start long after they asked for it either.
 */
export function canStillStart(
  { problem }: Pick<FollowedRequest, 'problem'>,
  { code, isPassing }: Pick<CallFailure, 'code' | 'isPassing'>,
  now: number,
): boolean {
  if (code === 'rate_limited') return true;
  return isPassing && canWaitToStart(problem ?? { since: now }, now);
}

const longestSilenceMs = 7 * 24 * 60 * 60_000;

/** A run without changes for a week isn't followed anymore; its message offers *Follow again*. */
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

/** Returns the time to read a run whose changes sweeps see: once it has been silent for too long. */
export function nextPollAfterSilence(request: FollowedRequest, run: Run, now: number): number {
  const silentTooLongAt = lastHeardAt(request, run) + longestSilenceMs;
  return Math.max(silentTooLongAt, now + quietPollDelayMs(now - request.acceptedAt));
}

/**
 * Names one end. A request has another end if it is tried again, or if its unknown run is followed again; undefined while
 * it isn't over.
 */
export function endRound({
  step,
  problem,
}: Pick<FollowedRequest, 'step' | 'problem'>): string | undefined {
  if (step === 'not_started') return `not started ${problem?.since ?? 0}`;
  if (step !== 'ended') return undefined;
  return isUnknown(problem) ? `gone ${problem?.since}` : 'end';
}

/** The embedded runs service follows pull requests for the same time. */
const followedForMs = 14 * 24 * 60 * 60_000;

/** Someone asked for something and waits for what comes of it. */
const expectantMs = 2 * 60_000;

type Result = Pick<FollowedRequest, 'run' | 'endedAt' | 'publishAskedAt' | 'publishOutcome'>;

/**
 * Returns the time to read an ended run because no sweep has seen it. Null once nothing can change; until then, sweeps
 * deliver its changes.
 */
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
  // Someone may publish it. No sweep misses that for long, so it isn't worth an extra request.
  return run.publication?.state ? endedAt + followedForMs + 1 : null;
}

/** Nothing more comes of what someone asked for. Another pull request may be offered, and then be asked for. */
const isOver = ({ publication }: Run, pullRequests: readonly PullRequestData[]): boolean =>
  (publication?.state ?? 'published') === 'published' &&
  pullRequests.length > 0 &&
  pullRequests.every(isClosed);

/** Takes over what may still change from an answer about a run that has ended. Its state and times stay as they are. */
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
  // A refusal is about how things were.
  const isOutdated = publishOutcome === 'refused' || publishOutcome === 'not_offered';
  return { changeSeenAt: at, run: changed, ...(isOutdated && { publishOutcome: 'seen' }) };
}
