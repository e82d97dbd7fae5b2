import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { doubtFrom } from './doubles.ts';
import { logWaiting } from './log-waiting.ts';
import { postOnce } from './post-once.ts';
import { retryDelayMs } from './progress.ts';
import { fingerprint } from './show-request.ts';

/**
 * Gives the request its run message, exactly one: after an interrupted try it is looked for before posting again. Also
 * another one, when the first can be changed no more.
 */
export async function postMessage(
  { messages, logger }: Pick<FollowingParts, 'messages' | 'logger'>,
  { request, record, begin }: Tracked,
): Promise<DueAt> {
  const isFirst = request.step === 'accepted';
  const channelId = request.messageChannelId ?? request.channelId;
  const { id: requestId } = request;
  const waitMs = messages.room({ kind: 'post', channelId, requestId, isUrgent: true });
  if (waitMs > 0) return Date.now() + waitMs;
  const message = messages.render(isFirst ? { ...request, step: 'posted' } : request);
  const beganBefore = request.postBeganAt;
  const outcome = await postOnce({
    beganAt: beganBefore,
    begin: (now) => begin({ postBeganAt: now, ...(beganBefore !== null && doubtFrom(now)) }),
    post: () => messages.post(request, message),
    find: () => messages.find(request),
  });
  switch (outcome.outcome) {
    case 'unsettled':
      return outcome.lookAgainAt;
    case 'posted':
      await record({
        ...(isFirst ? { step: 'posted' } : { postAnew: null, ...doubtFrom(Date.now()) }),
        messageChannelId: outcome.place.channelId,
        messageTs: outcome.place.ts,
        failures: 0,
        shown: fingerprint(message),
      });
      return null;
    case 'refused':
      logger.error({ requestId, reason: outcome.reason }, 'no place for the run message');
      await record(isFirst ? cannotPost(outcome.reason, Date.now()) : { postAnew: null });
      return null;
    case 'later': {
      const failures = request.failures + 1;
      logWaiting(logger, outcome, { requestId }, 'run message waits');
      // Surely undone is only this try: an earlier one may still come to stand.
      await record({ failures, ...(outcome.isUndone && { postBeganAt: beganBefore }) });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }
}

const cannotPost = (reason: string, now: number) => ({
  step: 'ended' as const,
  endedAt: now,
  problem: { code: 'cannot_post', message: reason, since: now },
});
