import type { DueAt } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { OutboxDeps } from './outbox-deps.ts';
import type { WantedStatus } from './post-kind.ts';
import { logWaiting, unsettledMs } from './post-once.ts';
import type { TrackedPost } from './track-post.ts';

/**
 * Sets a status if it changed, or if Slack forgets it soon. Doesn't search for earlier tries, because setting a status
 * twice is safe. An earlier try can't arrive after the next one.
 */
export async function keepStatus(
  { nowMs, logger }: Pick<OutboxDeps, 'nowMs' | 'logger'>,
  { post, note, record }: TrackedPost,
  wanted: WantedStatus,
): Promise<DueAt> {
  const { status, lastsMs } = wanted;
  const { shown, showAgainAt, beganAt } = post;
  const isForgotten = showAgainAt !== null && showAgainAt <= Date.now();
  if (status === shown && !isForgotten) return showAgainAt;
  const isUnknown = shown === null && beganAt !== null;
  const leftMs = isUnknown ? unsettledMs(beganAt, nowMs()) : 0;
  if (leftMs > 0) return Date.now() + leftMs;
  const waitMs = await wanted.waitMs();
  if (waitMs > 0) return Date.now() + waitMs;
  // Forget the shown status before the call, because it isn't known after a crash or a lost answer.
  await record({ shown: null, beganAt: nowMs() });
  const outcome = await wanted.set();
  switch (outcome.outcome) {
    case 'set': {
      const againAt = lastsMs === null ? null : Date.now() + lastsMs;
      note({ state: 'posted', shown: status, showAgainAt: againAt, failures: 0 });
      return againAt;
    }
    case 'rejected':
      // Wait for the next status, because Slack kept the earlier one and would reject this one again.
      logger.debug({ post: post.id, reason: outcome.reason }, 'status rejected');
      note({ shown, beganAt, showAgainAt: null });
      return null;
    case 'later': {
      const failures = post.failures + 1;
      logWaiting(logger, outcome, { post: post.id }, 'status waits');
      note({ failures, ...(outcome.isUndone && { shown, beganAt }) });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }
}
