import { fingerprint } from '../lib/fingerprint.ts';
import type { DueAt } from '../lib/leased-work.ts';
import { retryDelayMs } from '../lib/retry-delay.ts';
import type { RunRequest } from '../store/requests/request-row.ts';
import { removeReplaced } from './duplicates.ts';
import { logWaiting } from './log-waiting.ts';
import type { FollowingParts } from './parts.ts';
import { postSettledMs } from './progress.ts';
import type { MessagePlace, UpdateOutcome } from './run-messages.ts';
import type { Tracked } from './track.ts';

/** When to update again, and whether the message shows the current state, or there is none. */
type Showing = { dueAt: DueAt; isCurrent: boolean };

/** Updates the run message if it would look different. */
export async function showRequest(
  parts: Pick<FollowingParts, 'messages' | 'notices' | 'noticeStore' | 'logger'>,
  tracked: Tracked,
): Promise<Showing> {
  const { messages, logger } = parts;
  const { request, note, record, check } = tracked;
  if (request.messageChannelId === null || request.messageTs === null)
    return { dueAt: null, isCurrent: request.pendingPost === null };
  const place = { channelId: request.messageChannelId, ts: request.messageTs };
  const message = messages.render(request);
  const shown = fingerprint(message);
  const { showAgainAt } = request;
  const isRepeat = showAgainAt !== null && showAgainAt <= Date.now();
  if (shown === request.shown && !isRepeat) return { dueAt: showAgainAt, isCurrent: true };
  const { channelId } = place;
  const isUrgent = request.step === 'ended' || request.step === 'not_started';
  const waitMs = messages.room({ kind: 'update', channelId, requestId: request.id, isUrgent });
  if (waitMs > 0) return { dueAt: Date.now() + waitMs, isCurrent: false };
  // After a crash or a lost answer nobody knows what the message shows, so it is updated once more.
  await record({ shown: null });
  return applyOutcome(await messages.update(place, message));

  async function applyOutcome(outcome: UpdateOutcome): Promise<Showing> {
    switch (outcome.outcome) {
      case 'shown': {
        // An earlier update whose answer was lost may still arrive and overwrite this one.
        if (request.shown === null) {
          const dueAt = Date.now() + postSettledMs;
          note({ shown, showAgainAt: dueAt });
          return { dueAt, isCurrent: true };
        }
        note({ shown, ...(isRepeat && { shownAgain: showAgainAt }) });
        return { dueAt: isRepeat ? null : showAgainAt, isCurrent: true };
      }
      case 'gone':
        logger.warn({ requestId: request.id, reason: outcome.reason }, 'run message is gone');
        if (outcome.pendingPost) {
          // Only one replaced message is remembered, so an earlier one is removed first.
          const retryAfterMs = await removeReplaced(parts, tracked);
          if (retryAfterMs !== undefined)
            return { dueAt: Date.now() + retryDelayMs(1, retryAfterMs), isCurrent: false };
        }
        note(replaceMessage(place, outcome.pendingPost));
        return outcome.pendingPost === null
          ? { dueAt: null, isCurrent: true }
          : { dueAt: Date.now(), isCurrent: false };
      case 'refused':
        // Our fault or a workspace rule: the same content would be refused again.
        logger.error(
          { requestId: request.id, reason: outcome.reason },
          'run message update refused',
        );
        note({ shown, showAgainAt: null });
        return { dueAt: null, isCurrent: true };
      case 'later':
        logWaiting(logger, outcome, { requestId: request.id }, 'run message not updated yet');
        if (outcome.isUndone) note({ shown: request.shown });
        else await check();
        return { dueAt: Date.now() + retryDelayMs(1, outcome.retryAfterMs), isCurrent: false };
    }
  }
}

/** If a person deleted the message, the run continues without one: Home lists it, and its creator is notified. */
const replaceMessage = (
  { channelId, ts }: MessagePlace,
  pendingPost: RunRequest['pendingPost'],
) => ({
  messageTs: null,
  showAgainAt: null,
  pendingPost,
  ...(pendingPost && { postBeganAt: null, replacedChannelId: channelId, replacedMessageTs: ts }),
});
