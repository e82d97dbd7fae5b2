import type { DueAt } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import { removeReplaced } from './duplicates.ts';
import type { OutboxDeps } from './outbox-deps.ts';
import type { UpdateOutcome } from './outcomes.ts';
import type { KeptPost } from './post-kind.ts';
import { logWaiting, postSettledMs } from './post-once.ts';
import type { TrackedPost } from './track-post.ts';

/** Time of the next update. `isCurrent` is true if the message shows the current state, or if there is no message. */
type Showing = { dueAt: DueAt; isCurrent: boolean };

/** Updates a message if its content changed. */
export async function showPost(
  deps: OutboxDeps,
  tracked: TrackedPost,
  kept: KeptPost,
): Promise<Showing> {
  const { post, note, record, check } = tracked;
  const { place, showAgainAt, shown: shownBefore } = post;
  if (place === null) return { dueAt: null, isCurrent: post.state !== 'waiting' };
  const { shown } = kept;
  const isRepeat = showAgainAt !== null && showAgainAt <= Date.now();
  if (shown === shownBefore && !isRepeat) return { dueAt: showAgainAt, isCurrent: true };
  const waitMs = await kept.waitMs('update');
  if (waitMs > 0) return { dueAt: Date.now() + waitMs, isCurrent: false };
  // Forget the shown content before the call, because it isn't known after a crash or a lost answer.
  await record({ shown: null });
  return applyOutcome(await kept.update(place), place);

  async function applyOutcome(outcome: UpdateOutcome, at: PostPlace): Promise<Showing> {
    const { logger } = deps;
    switch (outcome.outcome) {
      case 'shown': {
        if (post.requestId !== null) deps.reports?.onShown?.(post.requestId);
        // Update the message once more later, because an earlier update without an answer may still overwrite this
        // one.
        if (shownBefore === null) {
          const dueAt = Date.now() + postSettledMs;
          note({ shown, showAgainAt: dueAt });
          return { dueAt, isCurrent: true };
        }
        note({ shown, ...(isRepeat && { shownAgain: showAgainAt }) });
        return { dueAt: isRepeat ? null : showAgainAt, isCurrent: true };
      }
      case 'gone':
        logger.warn({ post: post.id, reason: outcome.reason }, 'run message is gone');
        return replace(deps, tracked, kept, at, outcome.repost);
      case 'rejected':
        // Log an error and don't retry, because Slack would reject the same content again.
        logger.error({ post: post.id, reason: outcome.reason }, 'run message update rejected');
        note({ shown, showAgainAt: null });
        return { dueAt: null, isCurrent: true };
      case 'later':
        logWaiting(logger, outcome, { post: post.id }, 'run message not updated yet');
        if (outcome.isUndone) note({ shown: shownBefore });
        else await check();
        return { dueAt: Date.now() + retryDelayMs(1, outcome.retryAfterMs), isCurrent: false };
    }
  }
}

/**
 * Replaces a message that can't be edited anymore. If a person deleted the message, the run continues without one. Home
 * still lists the run, and its creator is notified.
 */
async function replace(
  deps: OutboxDeps,
  tracked: TrackedPost,
  kept: KeptPost,
  place: PostPlace,
  repost: 'here' | 'direct' | null,
): Promise<Showing> {
  if (repost === null) {
    const changes = { state: 'done', place: null, showAgainAt: null } as const;
    await tracked.record(changes, (lease, all) => deps.store.messages.deleted(lease, all, place));
    return { dueAt: null, isCurrent: true };
  }
  // Remove an earlier replaced message first, because only one is stored.
  const retryAfterMs = await removeReplaced(deps, tracked);
  if (retryAfterMs !== undefined)
    return { dueAt: Date.now() + retryDelayMs(1, retryAfterMs), isCurrent: false };
  const replies = await kept.moveReplies();
  await tracked.record(
    {
      state: 'waiting',
      place: null,
      showAgainAt: null,
      beganAt: null,
      replaced: { ...place, repost },
    },
    (lease, changes) => deps.store.messages.replaced(lease, changes, replies),
  );
  return { dueAt: Date.now(), isCurrent: false };
}
