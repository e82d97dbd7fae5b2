import type { CreateRunRequest } from '../runs-api/contract.ts';
import { describeAttempt } from '../runs-api/create-attempt.ts';
import type { RunRequest } from '../store/request-row.ts';
import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { pollDelayMs, retryDelayMs } from './progress.ts';
import { type CallFailure, callTimeoutMs, readFailure } from './runs-port.ts';

/** A create that was cut off may still take effect at the service for so long. */
const settledMs = 10_000;
const lookAgainMs = 2_000;

/**
 * Creates the request's run, exactly one. After an interrupted or ambiguous try the run is looked for, and created
 * again only when it has had time to appear and did not.
 */
export async function createRun(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { request, record } = tracked;
  const wanted = createRequestOf(request);
  try {
    if (request.createBeganAt !== null) {
      const attempt = describeAttempt(wanted, request.id, request.createBeganAt);
      const found = await parts.runs.findCreated(attempt, {
        signal,
        timeoutMs: callTimeoutMs,
        settleMs: settledMs,
        isTaken: async (runId) => (await parts.requests.findByRunIds([runId])).length > 0,
      });
      if (found.outcome === 'found') return begin(found.run.run_id, found.run.state);
      if (found.outcome === 'unsure') return Date.now() + lookAgainMs;
    }
    await record({ createBeganAt: Date.now() });
    const created = await parts.runs.create(wanted, {
      signal,
      timeoutMs: callTimeoutMs,
      idempotencyKey: request.id,
    });
    return begin(created.run_id, created.state);
  } catch (error) {
    if (signal.aborted) return Date.now();
    return fail(readFailure(error));
  }

  async function begin(runId: string, state: string): Promise<DueAt> {
    parts.logger.info({ requestId: request.id, runId, state }, 'run created');
    await record({ runId, step: 'following', failures: 0, problem: null });
    return Date.now() + pollDelayMs(0);
  }

  async function fail(failure: CallFailure): Promise<DueAt> {
    const failures = tracked.request.failures + 1;
    const since = tracked.request.problem?.since ?? Date.now();
    const problem = { code: failure.code, message: failure.message, since };
    const waits = failure.code === 'rate_limited' || failure.code === 'ambiguous';
    parts.logger.warn({ requestId: request.id, code: failure.code, waits }, 'run not created');
    if (!waits) {
      await record({ step: 'not_started', problem, failures, createBeganAt: null });
      return null;
    }
    await record({ problem, failures });
    return Date.now() + retryDelayMs(failures, failure.retryAfterMs);
  }
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
