import { createHash } from 'node:crypto';
import type { RunRequest } from '../store/request-row.ts';
import { removeLost } from './doubles.ts';
import { logWaiting } from './log-waiting.ts';
import type { DueAt, FollowingParts } from './parts.ts';
import { postSettledMs, retryDelayMs } from './progress.ts';
import type { MessagePlace, UpdateOutcome } from './run-messages.ts';
import type { Tracked } from './track.ts';

/** When to show again, and whether the message shows the truth now, as far as there is one. */
type Showing = { dueAt: DueAt; isTrue: boolean };

/** Changes the run message if it would show something else than it does. Unchanged messages cost nothing. */
export async function showRequest(
  parts: Pick<FollowingParts, 'messages' | 'notices' | 'toTell' | 'logger'>,
  tracked: Tracked,
): Promise<Showing> {
  const { messages, logger } = parts;
  const { request, note, record, check } = tracked;
  if (request.messageChannelId === null || request.messageTs === null)
    return { dueAt: null, isTrue: request.postAnew === null };
  const place = { channelId: request.messageChannelId, ts: request.messageTs };
  const message = messages.render(request);
  const shown = fingerprint(message);
  const { showAgainAt } = request;
  const isWanted = showAgainAt !== null && showAgainAt <= Date.now();
  if (shown === request.shown && !isWanted) return { dueAt: showAgainAt, isTrue: true };
  const { channelId } = place;
  const isUrgent = request.step === 'ended' || request.step === 'not_started';
  const waitMs = messages.room({ kind: 'update', channelId, requestId: request.id, isUrgent });
  if (waitMs > 0) return { dueAt: Date.now() + waitMs, isTrue: false };
  // Until the answer is there nobody knows what it shows: a crash, or a lost answer, must not leave it at that.
  await record({ shown: null });
  return keep(await messages.update(place, message));

  async function keep(outcome: UpdateOutcome): Promise<Showing> {
    switch (outcome.outcome) {
      case 'shown': {
        // An update that nobody has seen the end of may still be on its way, and would put itself over this one.
        if (request.shown === null) {
          const dueAt = Date.now() + postSettledMs;
          note({ shown, showAgainAt: dueAt });
          return { dueAt, isTrue: true };
        }
        note({ shown, ...(isWanted && { shownAgain: showAgainAt }) });
        return { dueAt: isWanted ? null : showAgainAt, isTrue: true };
      }
      case 'gone':
        logger.warn({ requestId: request.id, reason: outcome.reason }, 'run message is gone');
        if (outcome.postAnew) {
          // Only the last one that was given up is remembered: one before it goes first.
          const retryAfterMs = await removeLost(parts, tracked);
          if (retryAfterMs !== undefined)
            return { dueAt: Date.now() + retryDelayMs(1, retryAfterMs), isTrue: false };
        }
        note(lost(place, outcome.postAnew));
        return outcome.postAnew === null
          ? { dueAt: null, isTrue: true }
          : { dueAt: Date.now(), isTrue: false };
      case 'refused':
        // Our own fault, or a rule of the workspace: asking again with the same content cannot help.
        logger.error(
          { requestId: request.id, reason: outcome.reason },
          'run message update refused',
        );
        note({ shown, showAgainAt: null });
        return { dueAt: null, isTrue: true };
      case 'later':
        logWaiting(logger, outcome, { requestId: request.id }, 'run message not updated yet');
        if (outcome.isUndone) note({ shown: request.shown });
        else await check();
        return { dueAt: Date.now() + retryDelayMs(1, outcome.retryAfterMs), isTrue: false };
    }
  }
}

/** Where it was removed by somebody the run goes on without: Home lists it, and its creator is told of the end. */
const lost = ({ channelId, ts }: MessagePlace, postAnew: RunRequest['postAnew']) => ({
  messageTs: null,
  showAgainAt: null,
  postAnew,
  ...(postAnew && { postBeganAt: null, lostChannelId: channelId, lostMessageTs: ts }),
});

/** Equal for equal messages; short, since it is kept with every request. */
export function fingerprint(message: object): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url').slice(0, 22);
}
