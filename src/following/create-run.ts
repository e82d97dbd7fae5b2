import type { CreateRunRequest, Run } from 'runs-client/contract';
import { describeAttempt } from 'runs-client/create-attempt';
import { RunTaken } from '../store/request-leases.ts';
import { isCancelPending, type RunRequest } from '../store/request-row.ts';
import { endBeforeStart } from './cancel-run.ts';
import { workspaceConnection } from './connection.ts';
import type { DueAt, FollowingParts } from './parts.ts';
import {
  afterAnswer,
  downDelayMs,
  mayStillStart,
  mayWaitToStart,
  pollDelayMs,
  retryDelayMs,
} from './progress.ts';
import { environmentOf } from './queue-sense.ts';
import { type CallFailure, callTimeoutMs, readFailure } from './runs-port.ts';
import type { Tracked } from './track.ts';

const lookAgainMs = 2_000;

/**
 * Creates the request's run, exactly one. After an interrupted or ambiguous try the run is looked for, and created
 * again only when it is sure that none was.
 */
export async function createRun(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { createBeganAt } = tracked.request;
  if (createBeganAt === null && isCancelPending(tracked.request)) return endBeforeStart(tracked);
  const work = { ...parts, tracked, wanted: createRequestOf(tracked.request), signal };
  if (await isToWait(work)) return Date.now() + downDelayMs;
  if (createBeganAt !== null) {
    const dueAt = await lookForRun(work, createBeganAt);
    if (dueAt !== 'none was created') return dueAt;
  }
  return sendCreate(work);
}

type Work = FollowingParts & { tracked: Tracked; wanted: CreateRunRequest; signal: AbortSignal };

/**
 * Whoever has tried in vain waits as long as the sweep, which is the one probe, finds the service away. What was surely
 * not created has its own patience, and whether a run exists is found out by the same lists that the sweep reads.
 */
async function isToWait({ tracked, connections }: Work): Promise<boolean> {
  const { createBeganAt, problem } = tracked.request;
  if (problem === null) return false;
  const isPatient = createBeganAt !== null || mayWaitToStart(problem, Date.now());
  return isPatient && (await connections.find(workspaceConnection))?.problem != null;
}

async function lookForRun(work: Work, createBeganAt: number): Promise<DueAt | 'none was created'> {
  const { tracked, signal } = work;
  // A time to come was written before our clock was set back.
  const beganAt = Math.min(createBeganAt, Date.now());
  if (beganAt < createBeganAt) tracked.note({ createBeganAt: beganAt });
  const { id, createBeganServiceAt } = tracked.request;
  const attempt = describeAttempt(work.wanted, id, beganAt, createBeganServiceAt ?? undefined);
  try {
    const options = { signal, timeoutMs: callTimeoutMs, isTaken: isTakenIn(work) };
    const found = await work.runs.findCreated(attempt, options);
    switch (found.outcome) {
      case 'found':
        return await begin(work, found.run.run_id, found.run);
      case 'none':
        return 'none was created';
      case 'unsure':
        return Date.now() + lookAgainMs;
    }
  } catch (error) {
    if (signal.aborted) return Date.now();
    // Not being able to look says nothing about the run: it may exist.
    return wait(work, { ...readFailure(error), code: 'ambiguous' });
  }
}

/** Spares a look; that no two requests take the same run is made sure when it is recorded. */
const isTakenIn =
  ({ requests }: Work) =>
  async (runId: string) =>
    (await requests.findByRunIds([runId])).length > 0;

async function sendCreate(work: Work): Promise<DueAt> {
  const { tracked, signal } = work;
  const createBeganServiceAt = work.runs.serviceNowMs() ?? null;
  await tracked.begin({ createBeganAt: Date.now(), createBeganServiceAt });
  if (isCancelPending(tracked.request)) return endBeforeStart(tracked);
  try {
    const options = {
      signal,
      timeoutMs: callTimeoutMs,
      maxRetries: 0,
      idempotencyKey: tracked.request.id,
      isTaken: isTakenIn(work),
    };
    const created = await work.runs.create(work.wanted, options);
    return await begin(work, created.run_id);
  } catch (error) {
    if (signal.aborted) return Date.now();
    const failure = readFailure(error);
    if (failure.code === 'ambiguous') return wait(work, failure);
    tracked.note({ createBeganAt: null });
    if (mayStillStart(tracked.request, failure, Date.now())) return wait(work, failure);
    work.logger.warn({ requestId: tracked.request.id, code: failure.code }, 'run not created');
    const problem = { code: failure.code, message: failure.message, since: Date.now() };
    await tracked.record({ step: 'not_started', problem });
    return null;
  }
}

/**
 * A sweep may have passed a change of the run before it was known whose run that is: unless news come first, it is
 * looked at by itself soon.
 */
const firstLookDelayMs = 2_500;

async function begin(
  { tracked, logger, connections, lengths }: Work,
  runId: string,
  run?: Run,
): Promise<DueAt> {
  const { request } = tracked;
  const now = Date.now();
  const lookAt = now + firstLookDelayMs;
  const known = run ? afterAnswer(request, run, now) : { failures: 0, problem: null };
  const usual = await lengths.usual(environmentOf(request));
  try {
    await tracked.record({ step: 'following', ...known, runId, lookAt, usual });
  } catch (error) {
    if (!(error instanceof RunTaken)) throw error;
    // An identical request has found it first, so that the run of that one is left for this.
    logger.warn({ requestId: request.id, runId }, 'another request has this run; looking again');
    return now + lookAgainMs;
  }
  logger.info({ requestId: request.id, runId }, 'run created');
  if (tracked.request.step !== 'following') return null;
  await connections.wake(workspaceConnection, pollDelayMs(0));
  return isCancelPending(tracked.request) ? now : lookAt;
}

async function wait({ tracked, logger, connections }: Work, failure: CallFailure): Promise<DueAt> {
  const { request, record } = tracked;
  logger.warn({ requestId: request.id, code: failure.code }, 'run not created yet');
  const failures = request.failures + 1;
  const since = request.problem?.since ?? Date.now();
  await record({ problem: { code: failure.code, message: failure.message, since }, failures });
  // The sweep finds out whether it is this request or the service.
  await connections.wake(workspaceConnection, 0);
  return Date.now() + retryDelayMs(failures, failure.retryAfterMs);
}

function createRequestOf(request: RunRequest): CreateRunRequest {
  return {
    prompt: request.prompt,
    title: request.title,
    config: request.config,
    metadata: {
      slack_team: request.teamId,
      slack_user: request.creatorId,
      slack_channel: request.channelId,
    },
  };
}
