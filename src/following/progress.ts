/** Pure decisions about a followed request: what an answer or a failure means, and when to look next. */
import { isTerminalState, type Run } from 'runs-client/contract';
import type { RequestChanges, RunRequest } from '../store/request-row.ts';
import type { CallFailure } from './runs-port.ts';

/** Takes over what the API said, unless it is older than what is known: answers may arrive out of order. */
export function afterAnswer(request: RunRequest, run: Run, now: number): RequestChanges {
  const known = request.run;
  if (known && (isTerminalState(known.state) || isOlder(run, known))) return answered;
  const ended = isTerminalState(run.state);
  return {
    ...answered,
    problem: null,
    run,
    runId: run.run_id,
    step: ended ? 'ended' : 'following',
    endedAt: ended ? now : null,
  };
}

const answered = { failures: 0, missingSince: null };

/** Of two timestamps that cannot be read or are equal, the later answer wins. */
const isOlder = (run: Run, known: Run) => Date.parse(run.updated_at) < Date.parse(known.updated_at);

/** A run that has been unknown for so long counts as gone. Sweeps may have it looked at every second. */
const goneAfterMs = 5 * 60_000;

/** A run that the service does not know: perhaps not yet, perhaps no more. */
export function afterNotFound(
  request: RunRequest,
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

/** While the API is down its sweep is the one probe; what concerns single runs waits. */
export const downDelayMs = 10_000;

const longestStartMs = 15 * 60_000;

export const mayWaitToStart = ({ since }: { since: number }, now: number): boolean =>
  now - since < longestStartMs;

/**
 * Whether a create that has surely done nothing is sent again by itself. A service that is being restarted is no reason
 * to trouble anybody; but nobody expects a run to begin long after they have asked for it.
 */
export function mayStillStart(
  { problem }: Pick<RunRequest, 'problem'>,
  { code, isPassing }: Pick<CallFailure, 'code' | 'isPassing'>,
  now: number,
): boolean {
  if (code === 'rate_limited') return true;
  return isPassing && mayWaitToStart(problem ?? { since: now }, now);
}

const longestSilenceMs = 7 * 24 * 60 * 60_000;

/** A run that has said nothing new for a week is followed no longer; its message offers *Follow again*. */
export function followedLongEnough(request: RunRequest, run: Run, now: number): boolean {
  return now - lastHeardAt(request, run) > longestSilenceMs;
}

function lastHeardAt({ acceptedAt, followedSince }: RunRequest, run: Run): number {
  const lastChange = Date.parse(run.updated_at);
  const wantedAt = followedSince ?? acceptedAt;
  return Number.isNaN(lastChange) ? wantedAt : Math.max(lastChange, wantedAt);
}

/** Sweeps tell of this run: nobody needs to look at it by itself before its silence has lasted too long. */
export function lookAfterNewsAt(request: RunRequest, run: Run, now: number): number {
  const silentTooLongAt = lastHeardAt(request, run) + longestSilenceMs;
  return Math.max(silentTooLongAt, now + quietLookDelayMs(now - request.acceptedAt));
}

const youngestPollMs = 1_000;
const oldestPollMs = 30_000;

/** How often runs of this age are asked for: a tenth of the age, between 1 s and 30 s, with jitter of a fifth. */
export function pollDelayMs(ageMs: number, random = Math.random()): number {
  return jittered(Math.min(oldestPollMs, Math.max(youngestPollMs, ageMs / 10)), random);
}

const soonestQuietLookMs = 60_000;
const latestQuietLookMs = 6 * 60 * 60_000;

/** How long until a run of which no sweep has told is looked at by itself again: half its age, 1 min to 6 h. */
export function quietLookDelayMs(ageMs: number, random = Math.random()): number {
  return jittered(Math.min(latestQuietLookMs, Math.max(soonestQuietLookMs, ageMs / 2)), random);
}

/** 1, 2, 4 … 60 s, never sooner than the other side asked for. */
export function retryDelayMs(failures: number, retryAfterMs = 0, random = Math.random()): number {
  const backoffMs = Math.min(60_000, 1_000 * 2 ** Math.max(0, failures - 1));
  return Math.max(retryAfterMs, jittered(backoffMs, random));
}

/** A post that was begun may still come to stand for so long: more than its call may take, and a slow network. */
export const postSettledMs = 7_000;

const jittered = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random));

/**
 * The keys of an end begin so. A request that could not be started may be tried again, and a run that was no longer
 * known may be followed again: then there is another end.
 */
export function endRound({ step, problem }: RunRequest): string {
  if (step === 'not_started') return `not started ${problem?.since ?? 0} `;
  return problem?.code === 'gone' ? `gone ${problem.since} ` : 'end ';
}
