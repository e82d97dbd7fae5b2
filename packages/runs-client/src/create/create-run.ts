import type { CallOptions } from '../call-options.ts';
import { type CreateAttempt, contentKey } from '../create-attempt.ts';
import type { Progress } from '../http/caller.ts';
import { hasDoneNothing } from '../http/retry-decision.ts';
import type { ServiceClock } from '../http/service-clock.ts';
import { RunsApiError } from '../runs-api-error.ts';
import { sleep } from '../sleep.ts';
import { type FindOptions, type FoundRun, findCreated, type RunsReader } from './find-created.ts';

export type CreateOptions = CallOptions &
  Pick<FindOptions, 'isTaken' | 'settleMs'> & {
    /**
     * Attempt from an earlier call for the same request, if its outcome isn't known. The client looks for its run
     * before it sends the request again.
     */
    previous?: CreateAttempt | undefined;
  };

type Found = Extract<FoundRun, { outcome: 'found' }>;

/** Functions for creating a run that differ for parsed and raw responses. */
type CreateSteps<Reply> = {
  post(call: CallOptions, progress: Progress): Promise<Reply>;
  runIdOf(reply: Reply): string | undefined;
  /** Returns the reply for a run that was found after the original response was lost. */
  recover(found: Found): Promise<Reply> | Reply;
};

export type CreateContext = {
  reader: RunsReader;
  claims: RunClaims;
  timeoutMs: number;
  maxRetries: number;
  settleMs: number;
  /** True if the service returns the same run for a repeated `Idempotency-Key`. */
  isIdempotent: boolean;
};

/** Share of the time limit that the request may use. The rest of the time is for finding out if the run was created. */
const shareOfPost = 0.75;

/**
 * Creates exactly one run. Repeats the request only if no run was created. Saves in `attempt` when the request was last
 * sent.
 */
export async function createRun<Reply>(
  context: CreateContext,
  steps: CreateSteps<Reply>,
  attempt: CreateAttempt,
  call: CreateOptions,
): Promise<Reply> {
  const { claims } = context;
  const { clock } = context.reader;
  const maxRetries = call.maxRetries ?? context.maxRetries;
  const deadlineMs = performance.now() + (call.timeoutMs ?? context.timeoutMs);
  const hasPrevious = call.previous !== undefined;
  const progress: Progress = { attempts: 0, mightHaveActed: hasPrevious && !context.isIdempotent };
  const look = createLook(context, attempt, call, deadlineMs);
  let failure: RunsApiError | undefined;
  for (;;) {
    if (progress.mightHaveActed) {
      const found = await look();
      if (found.outcome === 'found') return steps.recover(found);
      if (found.outcome === 'unsure') throw ambiguous(attempt, failure, found.why);
      progress.mightHaveActed = false;
      if (progress.attempts > maxRetries && failure) throw failure;
    }
    const timeoutMs = (deadlineMs - performance.now()) * shareOfPost;
    const stopPosting = claims.startPosting(contentKey(attempt));
    // Note the sending time on the monotonic clock, because someone may change the local clock before the search for
    // the run.
    clock.markSent(attempt.requestId);
    try {
      const reply = await steps.post({ ...call, timeoutMs, maxRetries }, progress);
      const runId = steps.runIdOf(reply);
      if (runId !== undefined) {
        claims.claim(runId);
        clock.sawCreation(runId);
      }
      return reply;
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      progress.mightHaveActed ||= !hasDoneNothing(error);
      if (progress.mightHaveActed) noteSent(attempt, clock);
      // Search for the run of `previous` now. Before the first request, the client relied on the idempotency key
      // instead of searching.
      else if (hasPrevious && context.isIdempotent) progress.mightHaveActed = true;
      else throw error;
      failure = error;
    } finally {
      stopPosting();
    }
  }
}

function noteSent(attempt: CreateAttempt, clock: ServiceClock): void {
  attempt.lastSentMs = Date.now();
  clock.markSent(attempt.requestId);
  const serviceMs = clock.nowMs();
  if (serviceMs !== undefined) attempt.lastSentServiceMs = serviceMs;
}

/** Creates a function that searches for the run until the outcome is certain or the call's time limit is reached. */
function createLook(
  context: CreateContext,
  attempt: CreateAttempt,
  call: CreateOptions,
  deadlineMs: number,
) {
  const { claims, reader } = context;
  const settleMs = call.settleMs ?? context.settleMs;
  const isTaken = async (runId: string) =>
    claims.isClaimed(runId) || ((await call.isTaken?.(runId)) ?? false);
  const { signal, headers, maxRetries } = call;

  async function lookOnce(): Promise<FoundRun & { isFinal?: boolean }> {
    const timeoutMs = deadlineMs - performance.now();
    const options = { signal, headers, maxRetries, isTaken, settleMs, timeoutMs };
    try {
      const found = await findCreated(reader, attempt, options);
      if (found.outcome !== 'found') return found;
      if (!found.isSure && claims.isPosting(contentKey(attempt))) {
        return { outcome: 'unsure', why: 'an identical create is in progress' };
      }
      if (!claims.claim(found.run.run_id) && !found.isSure) {
        return { outcome: 'unsure', why: 'the run found belongs to an identical create' };
      }
      return found;
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      const why = `looking for the run failed too: ${error.message}`;
      return { outcome: 'unsure', why, isFinal: !error.retryable };
    }
  }

  return async (): Promise<FoundRun> => {
    // Search often at first, because most runs can be found immediately.
    let pauseMs = settleMs / 64;
    for (;;) {
      const found = await lookOnce();
      if (found.outcome !== 'unsure' || found.isFinal) return found;
      if (performance.now() + pauseMs >= deadlineMs) return found;
      await sleep(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, settleMs / 4);
    }
  };
}

function ambiguous(
  attempt: CreateAttempt,
  cause: RunsApiError | undefined,
  why: string,
): RunsApiError {
  const message = `the response to a create was lost, and whether the run exists isn't known yet (${why}); look again with runs.findCreated(error.attempt) before you create it again`;
  return new RunsApiError({
    code: 'ambiguous',
    message,
    status: cause?.status,
    requestId: cause?.requestId,
    attempt: { ...attempt },
    cause,
  });
}

/**
 * Max number of remembered runs. Older ones can be forgotten, because only recent runs can be mistaken for each other.
 */
const mostClaims = 10_000;

type RunClaims = ReturnType<typeof createRunClaims>;

/**
 * Tracks the runs that one client created, and its create requests in progress. If a service keeps no metadata, this
 * prevents one of two identical requests from getting the run of the other request.
 */
export function createRunClaims() {
  const claimed = new Set<string>();
  const posting = new Map<string, number>();
  return {
    /** Marks a create request as in progress until the returned function is called. */
    startPosting(contentKey: string): () => void {
      posting.set(contentKey, (posting.get(contentKey) ?? 0) + 1);
      return () => {
        const left = (posting.get(contentKey) ?? 1) - 1;
        if (left > 0) posting.set(contentKey, left);
        else posting.delete(contentKey);
      };
    },
    isPosting: (contentKey: string) => posting.has(contentKey),
    /** Assigns a run to a create request. Returns false if the run is already assigned. */
    claim(runId: string): boolean {
      if (claimed.has(runId)) return false;
      claimed.add(runId);
      if (claimed.size > mostClaims) {
        const [oldest] = claimed;
        if (oldest !== undefined) claimed.delete(oldest);
      }
      return true;
    },
    isClaimed: (runId: string) => claimed.has(runId),
  };
}
