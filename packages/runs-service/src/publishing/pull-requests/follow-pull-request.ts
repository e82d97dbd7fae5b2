import { isDeepStrictEqual } from 'node:util';
import type { DueAt } from 'base/leased-work';
import type { Publication, PullRequest } from '../../store/publication.ts';
import type { BranchWork, TrackedPublication } from '../branch-work.ts';
import type { PublishProblem } from '../publish-problem.ts';

const shortestMs = 30_000;
const longestMs = 15 * 60_000;
const longestAfterProblemMs = 60 * 60_000;
const followMs = 14 * 86_400_000;
/** Time between two polls, as a fraction of the time since the pull request's last change. */
const lateness = 1 / 20;
/** Max time that a poll can take, in ms. It's limited, because other publications can wait for it. */
const pollTimeoutMs = 20_000;

/** Returns the time of the next poll. Polls are more frequent after a change. Returns null if no change is expected. */
export function nextPollAt(
  { pullRequest, followed, publishedAt, action }: Publication,
  now: number,
): DueAt {
  if (action) return now;
  if (!pullRequest) return null;
  const publishedAtMs = publishedAt ?? now;
  if (pullRequest.state === 'merged' || now - publishedAtMs > followMs) return null;
  const quietMs = now - Math.max(publishedAtMs, followed?.changedAt ?? 0);
  return now + Math.min(longestMs, Math.max(shortestMs, quietMs * lateness));
}

/**
 * Reads the pull request again, and announces changes.
 * @throws PublishProblem
 */
export async function followPullRequest({ tracked, host, signal }: BranchWork): Promise<void> {
  const { pullRequest: before, followed, failures, remark } = tracked.publication;
  if (!before) return;
  const timed = AbortSignal.any([signal, AbortSignal.timeout(pollTimeoutMs)]);
  const { pullRequest, seen } = await host.poll(before.number, followed?.seen ?? {}, timed);
  const hasChanged = !isDeepStrictEqual(pullRequest, before);
  const recovered = { failures: 0, ...(isOurs(remark) && { remark: null }) };
  const changedAt = hasChanged ? Date.now() : (followed?.changedAt ?? Date.now());
  const changes = { ...recovered, pullRequest, followed: { seen, changedAt } };
  if (hasChanged || isOurs(remark))
    await tracked.announce(changes, describeChange(before, pullRequest));
  else if (failures > 0 || !isDeepStrictEqual(seen, followed?.seen)) await tracked.record(changes);
}

/** Start of a remark about failed polls. */
const cantFollow = "Can't follow the pull request: ";
const isOurs = (remark: string | null) => remark?.startsWith(cantFollow) ?? false;

/**
 * Schedules the next poll after a failure, with growing delays. Announces a problem that someone has to fix, but only
 * once.
 */
export async function afterFollowProblem(
  tracked: TrackedPublication,
  { message, isTemporary, retryAfterMs }: PublishProblem,
): Promise<DueAt> {
  const { failures, remark } = tracked.publication;
  const counted = { failures: failures + 1 };
  if (isTemporary || isOurs(remark)) await tracked.record(counted);
  else await tracked.announce({ ...counted, remark: `${cantFollow}${message}` });
  const now = Date.now();
  const waitMs = Math.min(longestAfterProblemMs, shortestMs * 2 ** Math.min(failures, 10));
  return nextPollAt(tracked.publication, now) && now + Math.max(retryAfterMs, waitMs);
}

/** Describes the changes of a pull request for the run's timeline. */
function describeChange(before: PullRequest, now: PullRequest): string | undefined {
  if (before.state === now.state) return undefined;
  const name = `Pull request #${now.number}`;
  switch (now.state) {
    case 'merged':
      return `${name} was merged`;
    case 'closed':
      return `${name} was closed`;
    case 'draft':
      return `${name} is a draft again`;
    case 'open':
      return `${name} ${before.state === 'draft' ? 'is ready for review' : 'was reopened'}`;
  }
}
