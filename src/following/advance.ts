import { LeaseLost } from '../store/request-leases.ts';
import { cancelRun } from './cancel-run.ts';
import { createRun } from './create-run.ts';
import { removeDoubles } from './doubles.ts';
import { lookAtRun, lookForLostRun } from './look-at-run.ts';
import type { DueAt, FollowingParts } from './parts.ts';
import { postMessage } from './post-message.ts';
import { afterAnswer, lookAfterNewsAt } from './progress.ts';
import { showRequest } from './show-request.ts';
import { tellPeople } from './tell-people.ts';
import type { Tracked } from './track.ts';

/**
 * Takes one leased request as far as it can go now: post, create, follow, then show what changed. A message that has to
 * wait doesn't hold up the run. Every step is recorded before the next begins, so that a crash between two of them repeats
 * none; what may be repeated is noted, and written with the next record or when the request is given back.
 */
export async function advance(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  try {
    return await goOn(parts, tracked, signal);
  } catch (error) {
    // Frozen, or too slow: what was on its way then may stand beside, or over, what another has written since.
    if (error instanceof LeaseLost) await parts.leases.doubt(tracked.request.id, Date.now());
    throw error;
  }
}

async function goOn(parts: FollowingParts, tracked: Tracked, signal: AbortSignal): Promise<DueAt> {
  const { step, postAnew } = tracked.request;
  const isToPost = step === 'accepted' || postAnew !== null;
  const postDueAt = isToPost ? await postMessage(parts, tracked) : null;
  if (signal.aborted) return Date.now();
  const stepDueAt = await takeStep(parts, tracked, signal);
  if (signal.aborted) return Date.now();
  const { dueAt: showDueAt, isTrue } = await showRequest(parts, tracked);
  const tellDueAt = isTrue ? await tellPeople(parts, tracked) : null;
  const removeDueAt = await removeDoubles(parts, tracked);
  return soonest([postDueAt, stepDueAt, showDueAt, tellDueAt, removeDueAt]);
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
      if (tracked.request.unfollowedAt === null) takeNews(tracked);
      const cancelDueAt = await cancelRun(parts, tracked, signal);
      // Someone pressed *Stop following*.
      if (signal.aborted || tracked.request.unfollowedAt !== null) return cancelDueAt;
      return soonest([cancelDueAt, await lookAtRun(parts, tracked, signal)]);
    }
    case 'ended':
      return lookForLostRun(parts, tracked, signal);
    case 'accepted':
    case 'not_started':
      return null;
  }
}

/** What a sweep has left for this request. */
function takeNews({ request, note }: Tracked): void {
  const { news } = request;
  if (news === null) return;
  const now = Date.now();
  const lookAt = lookAfterNewsAt(request, news, now);
  note({ ...afterAnswer(request, news, now), newsTaken: news, lookAt });
}
