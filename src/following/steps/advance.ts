import { type DueAt, sooner } from 'base/leased-work';
import { afterAnswer, nextPollAfterSilence } from '../progress.ts';
import type { FollowStep, Tracked } from '../track.ts';
import { answerQuestion } from './answer-question.ts';
import { cancelRun } from './cancel-run.ts';
import { createRun } from './create-run.ts';
import { followResult, pollRun } from './poll-run.ts';

/**
 * Takes one leased request as far as it can go now: creates its run, cancels it, follows it. Each step is recorded
 * before the next one begins, so a crash repeats none. Changes that are safe to repeat are only noted. They're written
 * with the next record, or when the lease is released. A visible change makes the message due; see `src/outbox/`.
 */
export const advance: FollowStep = async (deps, tracked, signal) => {
  const dueAt = await takeStep(deps, tracked, signal);
  return signal.aborted ? Date.now() : dueAt;
};

const takeStep: FollowStep = async (deps, tracked, signal) => {
  const { request } = tracked;
  switch (request.step) {
    case 'accepted':
      // Wait for the run message. The request becomes due once the message is posted, or once Slack's limits have
      // delayed it for long.
      return null;
    case 'posted':
      return createRun(deps, tracked, signal);
    case 'following': {
      if (request.unfollowedAt === null) applyPendingUpdate(tracked);
      if (tracked.request.step === 'ended') return dueAfterEnd(tracked);
      const cancelDueAt = await cancelRun(deps, tracked, signal);
      const answerDueAt = await answerQuestion(deps, tracked, signal);
      const askedDueAt = sooner(cancelDueAt, answerDueAt);
      // After *Stop updates*, only handle a requested cancel or an answer. Don't poll the run.
      if (signal.aborted || tracked.request.unfollowedAt !== null) return askedDueAt;
      return sooner(askedDueAt, await pollRun(deps, tracked, signal));
    }
    case 'ended':
      if (request.missingSince === null) applyPendingUpdate(tracked);
      return sooner(
        await answerQuestion(deps, tracked, signal),
        await followResult(deps, tracked, signal),
      );
    case 'not_started':
      return null;
  }
};

/**
 * Returns the time of the next work on a request that has ended. An answer that the service hasn't received is sent at
 * once.
 */
const dueAfterEnd = ({ request: { pendingAnswer, nextPollAt } }: Tracked): DueAt =>
  pendingAnswer === null ? nextPollAt : Date.now();

/** Applies the change that a sweep found for this run. */
function applyPendingUpdate({ request, note }: Tracked): void {
  const { pendingUpdate } = request;
  if (pendingUpdate === null) return;
  const now = Date.now();
  const nextPollAt = nextPollAfterSilence(request, pendingUpdate, now);
  note({
    nextPollAt: nextPollAt,
    ...afterAnswer(request, pendingUpdate, now),
    appliedUpdate: pendingUpdate,
  });
}
