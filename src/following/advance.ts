import type { DueAt } from '../lib/leased-work.ts';
import { LeaseLost } from '../lib/leased-work.ts';
import { cancelRun } from './cancel-run.ts';
import { createRun } from './create-run.ts';
import { removeDuplicates } from './duplicates.ts';
import { lookAtRun, lookForUnknownRun } from './look-at-run.ts';
import { notifyPeople } from './notify-people.ts';
import type { FollowingParts } from './parts.ts';
import { postMessage } from './post-message.ts';
import { afterAnswer, lookAfterUpdateAt } from './progress.ts';
import { showRequest } from './show-request.ts';
import type { Tracked } from './track.ts';

/**
 * Takes one leased request as far as it can go now: post, create, follow, cancel, then show what changed. A message that
 * has to wait doesn't hold up the run. Each step is recorded before the next one begins, so a crash repeats none. What may
 * be repeated is only noted, and written with the next record or when the lease is released.
 */
export async function advance(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  try {
    return await takeSteps(parts, tracked, signal);
  } catch (error) {
    // This process was frozen or too slow. Its last write may now be a duplicate, or hide what another replica wrote.
    if (error instanceof LeaseLost)
      await parts.leases.suspectDuplicate(tracked.request.id, Date.now());
    throw error;
  }
}

async function takeSteps(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { step, pendingPost } = tracked.request;
  const needsPost = step === 'accepted' || pendingPost !== null;
  const postDueAt = needsPost ? await postMessage(parts, tracked) : null;
  if (signal.aborted) return Date.now();
  const stepDueAt = await takeStep(parts, tracked, signal);
  if (signal.aborted) return Date.now();
  const { dueAt: showDueAt, isCurrent } = await showRequest(parts, tracked);
  const notifyDueAt = isCurrent ? await notifyPeople(parts, tracked) : null;
  const removeDueAt = await removeDuplicates(parts, tracked);
  return soonest([postDueAt, stepDueAt, showDueAt, notifyDueAt, removeDueAt]);
}

function soonest(times: readonly DueAt[]): DueAt {
  return times.reduce((one, other) => (one === null ? other : Math.min(one, other ?? one)), null);
}

async function takeStep(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  switch (tracked.request.step) {
    case 'posted':
      return createRun(parts, tracked, signal);
    case 'following': {
      if (tracked.request.unfollowedAt === null) applyPendingUpdate(tracked);
      const cancelDueAt = await cancelRun(parts, tracked, signal);
      // Someone pressed *Stop following*.
      if (signal.aborted || tracked.request.unfollowedAt !== null) return cancelDueAt;
      return soonest([cancelDueAt, await lookAtRun(parts, tracked, signal)]);
    }
    case 'ended':
      return lookForUnknownRun(parts, tracked, signal);
    case 'accepted':
    case 'not_started':
      return null;
  }
}

/** Takes over what a sweep found out about this run. */
function applyPendingUpdate({ request, note }: Tracked): void {
  const { pendingUpdate } = request;
  if (pendingUpdate === null) return;
  const now = Date.now();
  const lookAt = lookAfterUpdateAt(request, pendingUpdate, now);
  note({ ...afterAnswer(request, pendingUpdate, now), appliedUpdate: pendingUpdate, lookAt });
}
