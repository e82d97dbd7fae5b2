/** Pure decisions about a followed request: what an answer or a failure means, and when to look next. */

import { retryDelayMs } from 'base/time/retry-delay';
import { isTerminalState, type Run } from 'runs-client/contract';
import { isUnknown } from '../requests/run-progress.ts';
import {
  type FollowedRequest,
  type RequestChanges,
  updateTime,
} from '../store/requests/request-row.ts';
import { afterEnd, lookAtResultAt } from './after-end.ts';
import { quietLookDelayMs } from './poll-delays.ts';
import type { CallFailure } from './runs-port.ts';

/**
 * Applies an answer of the API unless it is older than what is known: answers may arrive out of order. An end is final, so
 * it counts with any time: the clock of a service may be set back, or differ between its machines. `lookAt` is set once it
 * has ended.
 */
export function afterAnswer(request: FollowedRequest, run: Run, now: number): RequestChanges {
  const known = request.run;
  if (known && isTerminalState(known.state)) {
    const changes = afterEnd(request, run);
    return { ...answered, ...changes, lookAt: lookAtResultAt({ ...request, ...changes }, now) };
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
  return { ...ended, step: 'ended', lookAt: lookAtResultAt({ ...request, ...ended }, now) };
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

/** The service doesn't know the run: not yet, or not any more. */
export function afterNotFound(
  request: FollowedRequest,
  now: number,
): RequestChanges & { dueAt: number | null } {
  const failures = request.failures + 1;
  const dueAt = now + retryDelayMs(failures);
  const { missingSince } = request;
  if (missingSince === null) return { failures, missingSince: now, lookAt: dueAt, dueAt };
  if (now - missingSince < goneAfterMs) return { failures, lookAt: dueAt, dueAt };
  const problem = { code: 'gone', message: '', since: now };
  return { failures, step: 'ended', endedAt: now, problem, lookAt: null, dueAt: null };
}

/** While the API is down, the sweep is the only probe; calls for single runs wait. */
export const downDelayMs = 10_000;

const longestStartMs = 15 * 60_000;

export const mayWaitToStart = ({ since }: { since: number }, now: number): boolean =>
  now - since < longestStartMs;

/**
 * Whether a create that certainly did nothing is sent again. Nobody should notice that a service restarts, but nobody
 * expects a run to start long after they asked for it either.
 */
export function mayStillStart(
  { problem }: Pick<FollowedRequest, 'problem'>,
  { code, isPassing }: Pick<CallFailure, 'code' | 'isPassing'>,
  now: number,
): boolean {
  if (code === 'rate_limited') return true;
  return isPassing && mayWaitToStart(problem ?? { since: now }, now);
}

const longestSilenceMs = 7 * 24 * 60 * 60_000;

/** A run without changes for a week isn't followed any more; its message offers *Follow again*. */
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

/** When to read a run of which sweeps see the changes: when it has been silent for too long. */
export function lookAfterUpdateAt(request: FollowedRequest, run: Run, now: number): number {
  const silentTooLongAt = lastHeardAt(request, run) + longestSilenceMs;
  return Math.max(silentTooLongAt, now + quietLookDelayMs(now - request.acceptedAt));
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
