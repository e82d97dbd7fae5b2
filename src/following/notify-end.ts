import type { RunRequest } from '../store/request-row.ts';
import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { doubtFrom } from './doubles.ts';
import { postSettledMs, retryDelayMs } from './progress.ts';
import type { DoublesOutcome, FindOutcome, PostOutcome } from './run-messages.ts';

/** How people are told that a run has ended. Following is given this and never learns what is behind it. */
export type EndNotices = {
  /** Tells everybody who wants to know, in one reply; `nobody` when there is no one to tell. */
  reply(request: RunRequest): Promise<PostOutcome | { outcome: 'nobody' }>;
  /** Looks for the reply that an interrupted `reply` may have left behind. */
  find(request: RunRequest): Promise<FindOutcome>;
  /** Looks for replies, written since the request was doubted, beside the first. */
  findDoubles(request: RunRequest): Promise<DoublesOutcome>;
  /** Marks the message that asked for the run with its end. Doing it twice does no more than once. */
  mark(request: RunRequest): Promise<void>;
};

/** The last step of a run that has ended: one reply, exactly one, after its message shows the end. */
export async function notifyEnd(
  { notices, logger }: Pick<FollowingParts, 'notices' | 'logger'>,
  { request, record, begin }: Tracked,
): Promise<DueAt> {
  if (request.step !== 'ended' || request.repliedAt !== null) return null;
  await notices.mark(request);
  const beganBefore = request.replyBeganAt;
  const outcome = beganBefore === null ? await beginReply() : await lookThenReply(beganBefore);
  switch (outcome.outcome) {
    case 'unsettled':
      return outcome.lookAgainAt;
    case 'posted':
    case 'nobody':
      await record({ repliedAt: Date.now(), failures: 0 });
      return null;
    case 'refused':
      logger.error({ requestId: request.id, reason: outcome.reason }, 'nobody could be told');
      await record({ repliedAt: Date.now(), failures: 0 });
      return null;
    case 'later': {
      const failures = request.failures + 1;
      logger.warn({ requestId: request.id, reason: outcome.reason }, 'reply at the end waits');
      await record({ failures, ...(outcome.isUndone && { replyBeganAt: beganBefore }) });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }

  async function beginReply() {
    const now = Date.now();
    await begin({ replyBeganAt: now, ...(beganBefore !== null && doubtFrom(now)) });
    return notices.reply(request);
  }

  async function lookThenReply(beganAt: number) {
    const found = await notices.find(request);
    if (found.outcome === 'later') return { ...found, isUndone: undefined };
    if (found.outcome !== 'absent') return found;
    const lookAgainAt = beganAt + postSettledMs;
    const isSettled = Date.now() >= lookAgainAt;
    return isSettled ? beginReply() : { outcome: 'unsettled' as const, lookAgainAt };
  }
}
