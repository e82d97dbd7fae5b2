import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { doubtFrom } from './doubles.ts';
import { postOnce } from './post-once.ts';
import { retryDelayMs } from './progress.ts';
import { fingerprint } from './show-request.ts';

/** Gives the request its run message, exactly one: after an interrupted try it is looked for before posting again. */
export async function postMessage(
  { messages, logger }: Pick<FollowingParts, 'messages' | 'logger'>,
  { request, record, begin }: Tracked,
): Promise<DueAt> {
  const { channelId } = request;
  const waitMs = messages.room({ kind: 'post', channelId, isUrgent: true });
  if (waitMs > 0) return Date.now() + waitMs;
  const message = messages.render({ ...request, step: 'posted' });
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
        step: 'posted',
        messageChannelId: outcome.place.channelId,
        messageTs: outcome.place.ts,
        failures: 0,
        shown: fingerprint(message),
      });
      return null;
    case 'refused':
      logger.error(
        { requestId: request.id, reason: outcome.reason },
        'no place for the run message',
      );
      await record({
        step: 'ended',
        endedAt: Date.now(),
        problem: { code: 'cannot_post', message: outcome.reason, since: Date.now() },
      });
      return null;
    case 'later': {
      const failures = request.failures + 1;
      logger.warn({ requestId: request.id, reason: outcome.reason }, 'run message waits');
      // Surely undone is only this try: an earlier one may still come to stand.
      await record({ failures, ...(outcome.isUndone && { postBeganAt: beganBefore }) });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }
}
