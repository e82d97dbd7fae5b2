import type { DueAt } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { Run } from 'runs-client/contract';
import { describeAttempt } from 'runs-client/create-attempt';
import type { RunLimits } from 'runs-client/run-limits';
import { isCancelPending } from '../../requests/cancel.ts';
import { serviceOf } from '../../requests/connection.ts';
import type { RequestProblem } from '../../requests/run-progress.ts';
import { RunAlreadyLinkedError } from '../../store/requests/request-leases.ts';
import { environmentOf } from '../expected-times.ts';
import { pollDelayMs } from '../poll-delays.ts';
import { afterAnswer, canStillStart, canWaitToStart, downDelayMs } from '../progress.ts';
import { type CallFailure, callTimeoutMs, readFailure } from '../runs-port.ts';
import type { FollowingDeps, FollowStep, Tracked } from '../track.ts';
import {
  attachTimeoutMs,
  type FilesRead,
  readAttachments,
  rejectsFiles,
  withoutFiles,
} from './attach-files.ts';
import { rejectsPerson } from './attribute-run.ts';
import { endBeforeStart } from './cancel-run.ts';
import { rejectsLimits, unlimitedNotes } from './check-caps.ts';
import { createRequestOf } from './create-request.ts';

const retryAfterMs = 2_000;

/**
 * Creates exactly one run for the request. After an interrupted or ambiguous try, searches for the run and creates
 * another only if there is none. See docs/architecture.md.
 */
export const createRun: FollowStep = async (deps, tracked, signal) => {
  const { createBeganAt } = tracked.request;
  if (createBeganAt === null && isCancelPending(tracked.request)) return endBeforeStart(tracked);
  const work = { deps, tracked, signal };
  if (await mustWait(work)) return Date.now() + downDelayMs;
  if (createBeganAt !== null) {
    const dueAt = await findCreatedRun(work, createBeganAt);
    if (dueAt !== 'none was created') return dueAt;
  }
  const spent = await deps.caps.findSpent(tracked.request, Date.now());
  if (spent) return waitOrEnd(work, { ...spent, retryAfterMs: 0 });
  const sent = await deps.files.inTurn(tracked.request, async () => {
    const files = await readAttachments(deps.files, tracked.request, signal);
    if (files === 'later') return files;
    const person = await deps.attribution.of(tracked.request);
    return sendCreate(work, { ...files, person, limits: tracked.request.limits });
  });
  return sent === 'later' ? Date.now() + retryAfterMs : sent;
};

type Work = { deps: FollowingDeps; tracked: Tracked; signal: AbortSignal };

/** Returns true if a request that failed before has to wait, because its service is down. */
async function mustWait({ deps, tracked }: Work): Promise<boolean> {
  const { createBeganAt, problem, connectionId } = tracked.request;
  if (problem === null) return false;
  const mayWait = createBeganAt !== null || canWaitToStart(problem, Date.now());
  return mayWait && (await deps.connections.find(connectionId))?.problem != null;
}

async function findCreatedRun(
  work: Work,
  createBeganAt: number,
): Promise<DueAt | 'none was created'> {
  const { tracked, signal } = work;
  // Use the current time if the stored one is in the future, because the clock was set back since then.
  const beganAt = Math.min(createBeganAt, Date.now());
  if (beganAt < createBeganAt) tracked.note({ createBeganAt: beganAt });
  const { id, createBeganServiceAt } = tracked.request;
  const wanted = createRequestOf(tracked.request);
  const attempt = describeAttempt(wanted, id, beganAt, createBeganServiceAt ?? undefined);
  try {
    const options = { signal, timeoutMs: callTimeoutMs, isTaken: isTakenIn(work) };
    const found = await work.deps.runs.findCreated(attempt, options);
    switch (found.outcome) {
      case 'found':
        return await begin(work, found.run.run_id, found.run);
      case 'none':
        return 'none was created';
      case 'unsure':
        return Date.now() + retryAfterMs;
    }
  } catch (error) {
    if (signal.aborted) return Date.now();
    // Search again later, because the run may exist even though the search failed.
    return wait(work, { ...readFailure(error), code: 'ambiguous' });
  }
}

/**
 * Returns true if another request already has this run. Even without this check, a unique index prevents duplicates.
 */
const isTakenIn =
  ({ deps, tracked }: Work) =>
  async (runId: string) =>
    (await deps.requests.findByRunIds(serviceOf(tracked.request.connectionId), [runId])).length > 0;

/** Optional fields of a create call. If a service rejects one of them, the call is repeated without it. */
type Extras = Omit<FilesRead, 'canPass'> & {
  person: string | undefined;
  limits: RunLimits | null;
};

async function sendCreate(work: Work, extras: Extras): Promise<DueAt> {
  const { tracked, signal } = work;
  const { attachments, notes, person, limits } = extras;
  const hasFiles = attachments.length > 0;
  const createBeganServiceAt = work.deps.runs.serviceNowMs() ?? null;
  const startNotes = notes.length > 0 ? notes : null;
  await tracked.begin({ createBeganAt: Date.now(), createBeganServiceAt, startNotes });
  if (isCancelPending(tracked.request)) return endBeforeStart(tracked);
  try {
    const options = {
      signal,
      timeoutMs: hasFiles ? attachTimeoutMs : callTimeoutMs,
      maxRetries: 0,
      idempotencyKey: tracked.request.id,
      isTaken: isTakenIn(work),
    };
    const wanted = {
      // Create the body only now, because `begin` has just stored the notes about missing files.
      ...createRequestOf(tracked.request),
      ...(hasFiles && { attachments }),
      ...(person && { on_behalf_of: person }),
      ...(limits && { limits }),
    };
    const created = await work.deps.runs.create(wanted, options);
    return await begin(work, created.run_id);
  } catch (error) {
    if (signal.aborted) return Date.now();
    const failure = readFailure(error);
    if (failure.code === 'ambiguous') return wait(work, failure);
    tracked.note({ createBeganAt: null });
    if (hasFiles && rejectsFiles(error)) return sendCreate(work, { ...extras, ...withoutFiles });
    if (person && rejectsPerson(error)) {
      const rejectionNotes = work.deps.attribution.rejected(tracked.request);
      return sendCreate(work, {
        ...extras,
        notes: [...notes, ...rejectionNotes],
        person: undefined,
      });
    }
    // Never leave out the limits for a service that enforces them, because a mistake would then lift all caps.
    if (limits && rejectsLimits(error) && !(await work.deps.caps.isCounted(tracked.request))) {
      const allNotes = [...notes, ...unlimitedNotes(limits)];
      return sendCreate(work, { ...extras, notes: allNotes, limits: null });
    }
    return waitOrEnd(work, failure);
  }
}

/** Failure of a call, or of a check before it. */
type StartFailure = Omit<CallFailure, 'code'> & { code: string };

const waitOrEnd = (work: Work, failure: StartFailure): Promise<DueAt> =>
  canStillStart(work.tracked.request, failure, Date.now())
    ? wait(work, failure)
    : notStarted(work, failure);

async function notStarted(
  { deps, tracked }: Work,
  { code, message }: Pick<RequestProblem, 'code' | 'message'>,
): Promise<null> {
  deps.logger.warn({ code }, 'run not created');
  const problem = { code, message, since: Date.now() };
  await tracked.record({ step: 'not_started', problem });
  return null;
}

/**
 * Delay before the first poll of a new run, in ms. A sweep may have seen a change before the run ID was stored, and
 * ignored it.
 */
const firstPollDelayMs = 2_500;

async function begin({ deps, tracked }: Work, runId: string, run?: Run): Promise<DueAt> {
  const { logger, connections, lengths } = deps;
  const { request } = tracked;
  const now = Date.now();
  const nextPollAt = now + firstPollDelayMs;
  const answer = run ? afterAnswer(request, run, now) : { failures: 0, problem: null };
  const usual = await lengths.usual(environmentOf(request));
  try {
    await tracked.record({ step: 'following', nextPollAt: nextPollAt, ...answer, runId, usual });
  } catch (error) {
    if (!(error instanceof RunAlreadyLinkedError)) throw error;
    // Search for this request's run again later, because the run that was found belongs to an identical request.
    logger.warn({ runId }, 'another request has this run; looking again');
    return now + retryAfterMs;
  }
  logger.info({ runId }, 'run created');
  if (tracked.request.step !== 'following') return tracked.request.nextPollAt;
  await connections.wake(request.connectionId, pollDelayMs(0));
  return isCancelPending(tracked.request) ? now : nextPollAt;
}

async function wait({ deps, tracked }: Work, failure: StartFailure): Promise<DueAt> {
  const { logger, connections } = deps;
  const { request, record } = tracked;
  logger.warn({ code: failure.code }, 'run not created yet');
  const failures = request.failures + 1;
  const since = request.problem?.since ?? Date.now();
  await record({ problem: { code: failure.code, message: failure.message, since }, failures });
  // Start a sweep, which finds out whether the service is down or only this request fails.
  await connections.wake(request.connectionId, 0);
  return Date.now() + retryDelayMs(failures, failure.retryAfterMs);
}
