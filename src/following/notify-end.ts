import type { RunRequest } from '../store/request-row.ts';
import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { retryDelayMs } from './progress.ts';
import type { FindOutcome, PostOutcome } from './run-messages.ts';

/** How people are told that a run has ended. Following is given this and never learns what is behind it. */
export type EndNotices = {
  /** Tells everybody who wants to know, in one reply; `nobody` when there is no one to tell. */
  reply(request: RunRequest): Promise<PostOutcome | { outcome: 'nobody' }>;
  /** Looks for the reply that an interrupted `reply` may have left behind. */
  find(request: RunRequest): Promise<FindOutcome>;
  /** Marks the message that asked for the run with its end. Doing it twice does no more than once. */
  mark(request: RunRequest): Promise<void>;
};

/** The last step of a run that has ended: one reply, exactly one, after its message shows the end. */
export async function notifyEnd(
  { notices, logger }: Pick<FollowingParts, 'notices' | 'logger'>,
  { request, record, check }: Tracked,
): Promise<DueAt> {
  if (request.step !== 'ended' || request.repliedAt !== null) return null;
  await notices.mark(request);
  const outcome = request.replyBeganAt === null ? await firstReply() : await lookThenReply();
  switch (outcome.outcome) {
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
      await record({ failures });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }

  async function firstReply() {
    await record({ replyBeganAt: Date.now() });
    return notices.reply(request);
  }

  async function lookThenReply() {
    const found = await notices.find(request);
    if (found.outcome !== 'absent') return found;
    await check();
    return notices.reply(request);
  }
}
