/** Pure decisions about a followed request: what an answer or a failure means, and when to look next. */
import { isTerminalState, type Run } from '../runs-api/contract.ts';
import type { RequestChanges, RequestProblem, RunRequest } from '../store/request-row.ts';

/** Takes over what the API said, unless it is older than what is known: answers may arrive out of order. */
export function afterAnswer(request: RunRequest, run: Run, now: number): RequestChanges {
  const healed = { failures: 0, problem: null };
  const known = request.run;
  if (known && (isTerminalState(known.state) || isOlder(run, known))) return healed;
  const ended = isTerminalState(run.state);
  return {
    ...healed,
    run,
    runId: run.run_id,
    step: ended ? 'ended' : 'following',
    endedAt: ended ? now : null,
  };
}

/** Of two timestamps that cannot be read or are equal, the later answer wins. */
const isOlder = (run: Run, known: Run) => Date.parse(run.updated_at) < Date.parse(known.updated_at);

/** After so many answers "unknown" in a row (about five minutes) a run counts as gone. */
const goneAfterFailures = 12;

/** What a failed look at a run means. The run itself goes on: only its message says that nobody can see it. */
export function afterPollFailure(
  request: RunRequest,
  failure: { code: string; message: string },
  now: number,
): RequestChanges {
  const failures = request.failures + 1;
  const problem: RequestProblem = { ...failure, since: request.problem?.since ?? now };
  if (failure.code === 'not_found' && failures >= goneAfterFailures) {
    return { failures, step: 'ended', endedAt: now, problem: { ...problem, code: 'gone' } };
  }
  return { failures, problem };
}

const youngestPollMs = 1_000;
const oldestPollMs = 30_000;

/** A tenth of the run's age, between 1 s and 30 s, with jitter of a fifth so that runs spread out. */
export function pollDelayMs(ageMs: number, random = Math.random()): number {
  return jittered(Math.min(oldestPollMs, Math.max(youngestPollMs, ageMs / 10)), random);
}

/** 1, 2, 4 … 60 s, never sooner than the other side asked for. */
export function retryDelayMs(failures: number, retryAfterMs = 0, random = Math.random()): number {
  const backoffMs = Math.min(60_000, 1_000 * 2 ** Math.max(0, failures - 1));
  return Math.max(retryAfterMs, jittered(backoffMs, random));
}

const jittered = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random));
