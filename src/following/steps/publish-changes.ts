import type { DueAt } from 'base/leased-work';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isPublishPending, type PublishWanted } from '../../requests/publish.ts';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import { pollDelayMs } from '../poll-delays.ts';
import { callOptions, type FollowedRuns, readFailure } from '../runs-port.ts';
import type { FollowingDeps, Tracked } from '../track.ts';

/** Max time to retry a publication, in ms. Nobody expects a pull request to appear long after the request. */
const giveUpAfterMs = 15 * 60_000;

/**
 * Sends someone's request to publish a run's changes, such as creating or merging a pull request. Records each attempt
 * before sending it. After an attempt without an answer, reads the run first, so that a lost answer or a crash repeats
 * nothing.
 */
export async function publishChanges(
  { runs, logger }: Pick<FollowingDeps, 'runs' | 'logger'>,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { runId, publishRetryAt, publishWanted, publishAskedAt } = tracked.request;
  if (runId === null || publishWanted === null || !isPublishPending(tracked.request)) return null;
  const now = Date.now();
  if (publishRetryAt !== null && publishRetryAt > now) return publishRetryAt;
  const options = callOptions(signal);
  const { action } = publishWanted;
  try {
    const isDone = publishRetryAt !== null && hasHappened(action, await runs.get(runId, options));
    if (!isDone) {
      await tracked.begin({ publishRetryAt: now });
      await send(runs, runId, publishWanted, options);
    }
  } catch (error) {
    if (signal.aborted) return now;
    const { code, message, retryAfterMs } = readFailure(error);
    const askedMs = now - (publishAskedAt ?? now);
    logger.warn({ code, action }, 'changes not published yet');
    if (canPass(error) && askedMs < giveUpAfterMs) {
      const retryAt = now + Math.max(retryAfterMs, pollDelayMs(askedMs));
      tracked.note({ publishRetryAt: retryAt });
      return retryAt;
    }
    const isOffered = code !== 'not_found' && (error as RunsApiError).status !== 405;
    const publishOutcome = isOffered ? 'rejected' : 'not_offered';
    await tracked.record({ publishOutcome, publishProblem: message, publishRetryAt: null });
    return null;
  }
  logger.info({ action }, 'asked the runs service to publish changes');
  const accepted = {
    publishOutcome: 'accepted',
    publishProblem: null,
    publishRetryAt: null,
  } as const;
  // Poll the run now, to show the service's result.
  await tracked.record({ ...accepted, nextPollAt: now });
  return now;
}

const send = (
  runs: Pick<FollowedRuns, 'publish' | 'changePullRequest'>,
  runId: string,
  { action, request }: PublishWanted,
  options: { signal: AbortSignal; timeoutMs: number; maxRetries: number },
): PromiseLike<unknown> =>
  action === 'publish'
    ? runs.publish(runId, request ?? {}, options)
    : runs.changePullRequest(runId, action, options);

/**
 * Returns true if the run shows the result of this action. Returns false for actions without a visible result, which
 * can be sent again safely.
 */
function hasHappened(action: PublishWanted['action'], run: Run): boolean {
  const [pullRequest] = pullRequestsOf(run);
  switch (action) {
    case 'publish':
      return ['publishing', 'published'].includes(run.publication?.state ?? '');
    case 'mark_ready':
      return pullRequest?.state === 'open' || pullRequest?.state === 'merged';
    case 'merge':
      return pullRequest?.state === 'merged';
    case 'update_branch':
      return false;
  }
}

const canPass = (error: unknown): boolean =>
  error instanceof RunsApiError &&
  (error.retryable || error.code === 'conflict' || error.code === 'unauthorized');
