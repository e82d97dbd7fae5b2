/** What came of a run can change after its end: its changes are published, its pull request is reviewed and merged. */
import type { Run } from 'runs-client/contract';
import type { PullRequestData } from 'runs-client/publication';
import { isClosed, isOpen, pullRequestsOf } from '../requests/pull-request.ts';
import {
  type FollowedRequest,
  type RequestChanges,
  updateTime,
} from '../store/requests/request-row.ts';
import { pollDelayMs, quietLookDelayMs } from './poll-delays.ts';

/** As long as the embedded runs service follows pull requests. */
const followedForMs = 14 * 24 * 60 * 60_000;

/** Someone asked for something and waits for what comes of it. */
const expectantMs = 2 * 60_000;

type Result = Pick<FollowedRequest, 'run' | 'endedAt' | 'publishAskedAt' | 'publishOutcome'>;

/**
 * When to read an ended run because no sweep has seen it. Null once nothing can change; until then, sweeps deliver its
 * changes.
 */
export function lookAtResultAt(
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
  if (pullRequests.some(isOpen)) return now + quietLookDelayMs(ageMs);
  // Someone may publish it. No sweep misses that for long, so it isn't worth a request of its own.
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
