import { type DueAt, LeaseLost } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import { removeDuplicates, removeReplaced } from './duplicates.ts';
import { keepStatus } from './keep-status.ts';
import type { OutboxParts } from './outbox-parts.ts';
import type { KeptPost } from './post-kind.ts';
import { sendPost } from './send-post.ts';
import { showPost } from './show-post.ts';
import type { TrackedPost } from './track-post.ts';

/**
 * Takes one leased post as far as it can go now: post it, update it, remove duplicates. Each step is recorded before the
 * next one begins, so a crash repeats none. See docs/decisions/003-posts-are-rows-of-one-outbox.md.
 */
export async function workOnPost(
  parts: OutboxParts,
  tracked: TrackedPost,
  signal: AbortSignal,
): Promise<DueAt> {
  try {
    return await takeSteps(parts, tracked, signal);
  } catch (error) {
    // This process was frozen or too slow. Its last write may now be a duplicate, or hide what another replica wrote.
    if (error instanceof LeaseLost)
      await parts.leases.suspectDuplicate(tracked.post.id, Date.now());
    throw error;
  }
}

async function takeSteps(
  parts: OutboxParts,
  tracked: TrackedPost,
  signal: AbortSignal,
): Promise<DueAt> {
  const { post } = tracked;
  const kind = parts.kinds[post.kind];
  if (kind && 'readStatus' in kind) {
    const wanted = await kind.readStatus(post);
    return wanted ? keepStatus(parts, tracked, wanted) : null;
  }
  const open = await kind?.open(post);
  if (!open) {
    parts.logger.debug({ post: post.id }, 'nothing to post any more');
    // It was moved, and became needless before it was posted again. Its message waits until it's gone from the old thread.
    const retryAfterMs = await removeReplaced(parts, tracked);
    if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
    tracked.note({ state: 'done', replaced: null });
    // An earlier try may have posted it.
    return post.state === 'waiting' ? post.checkAt : null;
  }
  const sendDueAt = tracked.post.state === 'waiting' ? await sendPost(parts, tracked, open) : null;
  if (signal.aborted) return Date.now();
  const showDueAt = open.kept ? await showAndTell(parts, tracked, open.kept) : null;
  if (signal.aborted) return Date.now();
  return soonest([sendDueAt, showDueAt, await removeDuplicates(parts, tracked, open)]);
}

/** People are told of a state only when its message shows it, because they follow the notice to it. */
async function showAndTell(
  parts: OutboxParts,
  tracked: TrackedPost,
  kept: KeptPost,
): Promise<DueAt> {
  const { dueAt, isCurrent } = await showPost(parts, tracked, kept);
  if (!isCurrent) return dueAt;
  const told = await kept.whenCurrent(tracked);
  const tellAt =
    told.outcome === 'later' ? Date.now() + retryDelayMs(1, told.retryAfterMs) : told.dueAt;
  return soonest([dueAt, tellAt]);
}

function soonest(times: readonly DueAt[]): DueAt {
  return times.reduce((one, other) => (one === null ? other : Math.min(one, other ?? one)), null);
}
